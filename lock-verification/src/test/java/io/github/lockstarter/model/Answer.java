package io.github.lockstarter.model;

/**
 * What a script did.
 *
 * @param server what the server is afterwards; its marker is part of the answer
 * @param outcome what the client is told
 * @param fencing the fencing token of a grant
 * @param isNew whether the token did not have the lock before
 */
record Answer(Server server, Outcome outcome, int fencing, boolean isNew) {

    boolean givesLease() {
        return outcome == Outcome.GRANTED || outcome == Outcome.RENEWED;
    }

    static Answer of(Server server, Outcome outcome) {
        return new Answer(server, outcome, 0, false);
    }
}
