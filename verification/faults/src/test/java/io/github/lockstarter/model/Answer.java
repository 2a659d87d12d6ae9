package io.github.lockstarter.model;

/**
 * Effect of a script.
 *
 * @param server its state afterwards
 * @param outcome in the answer
 * @param marker id of the marker in the answer
 * @param fencing the fencing token of a grant
 * @param isNew whether the token did not have the lock before
 */
record Answer(ServerData server, ScriptOutcome outcome, int marker, int fencing, boolean isNew) {

    boolean givesLease() {
        return outcome == ScriptOutcome.GRANTED || outcome == ScriptOutcome.RENEWED;
    }

    static Answer of(ServerData server, ScriptOutcome outcome) {
        return new Answer(server, outcome, server.marker().id(), 0, false);
    }
}
