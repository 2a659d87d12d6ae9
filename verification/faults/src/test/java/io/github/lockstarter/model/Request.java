package io.github.lockstarter.model;

/**
 * A command as it is sent.
 *
 * @param verb what is asked for
 * @param token the lock token
 * @param fencing renew: the fencing token of the hold; 0 otherwise
 * @param marker id of the marker that the client saw last
 */
record Request(Verb verb, int token, int fencing, int marker) {

    Request tick(int forgotten) {
        return verb != Verb.RENEW ? this : new Request(verb, token, Fencing.tick(fencing, forgotten), marker);
    }
}
