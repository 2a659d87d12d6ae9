package io.github.lockstarter.model;

/**
 * An answer under way.
 *
 * @param fencing the fencing token of a grant
 * @param marker id of the server's marker
 */
record PendingReply(ScriptOutcome outcome, int fencing, int marker) {

    // The search compares states; a record's own equals is slow without the optimizing compiler.
    @Override
    public boolean equals(Object object) {
        return object instanceof PendingReply other
                && outcome == other.outcome
                && fencing == other.fencing
                && marker == other.marker;
    }

    @Override
    public int hashCode() {
        return (outcome.hashCode() * 31 + fencing) * 31 + marker;
    }

    PendingReply tick(int forgotten) {
        return outcome == ScriptOutcome.GRANTED
                ? new PendingReply(outcome, Fencing.tick(fencing, forgotten), marker)
                : this;
    }
}
