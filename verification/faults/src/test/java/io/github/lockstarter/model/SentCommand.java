package io.github.lockstarter.model;

/**
 * A command as sent.
 *
 * @param token the lock token
 * @param fencing renew: the fencing token of the hold; 0 otherwise
 * @param marker id of the marker that the client saw last
 */
record SentCommand(Verb verb, int token, int fencing, int marker) {

    SentCommand tick(int forgotten) {
        return verb != Verb.RENEW ? this : new SentCommand(verb, token, Fencing.tick(fencing, forgotten), marker);
    }
}
