package io.github.lockstarter.model;

/**
 * An answer under way.
 *
 * @param fencing the fencing token of a grant
 * @param marker id of the server's marker
 */
record PendingReply(ScriptOutcome outcome, int fencing, int marker) {

    PendingReply tick(int forgotten) {
        return outcome == ScriptOutcome.GRANTED
                ? new PendingReply(outcome, Fencing.tick(fencing, forgotten), marker)
                : this;
    }
}
