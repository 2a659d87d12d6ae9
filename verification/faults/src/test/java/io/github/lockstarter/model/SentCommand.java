package io.github.lockstarter.model;

/**
 * A command as sent.
 *
 * @param token the lock token
 * @param fencing renew: the fencing token of the hold; 0 otherwise
 * @param marker id of the marker that the client saw last
 */
record SentCommand(Verb verb, int token, int fencing, int marker) {

    // The search compares states; a record's own equals is slow without the optimizing compiler.
    @Override
    public boolean equals(Object object) {
        return object instanceof SentCommand other
                && verb == other.verb
                && token == other.token
                && fencing == other.fencing
                && marker == other.marker;
    }

    @Override
    public int hashCode() {
        return ((verb.hashCode() * 31 + token) * 31 + fencing) * 31 + marker;
    }

    SentCommand tick(int forgotten) {
        return verb != Verb.RENEW ? this : new SentCommand(verb, token, Fencing.tick(fencing, forgotten), marker);
    }
}
