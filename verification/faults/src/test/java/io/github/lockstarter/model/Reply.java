package io.github.lockstarter.model;

/**
 * An answer under way.
 *
 * @param fencing the fencing token of a grant
 * @param marker id of the server's marker
 */
record Reply(Outcome outcome, int fencing, int marker) {

    // The search compares states; a record's own equals is slow without the optimizing compiler.
    @Override
    public boolean equals(Object object) {
        return object instanceof Reply other
                && outcome == other.outcome
                && fencing == other.fencing
                && marker == other.marker;
    }

    @Override
    public int hashCode() {
        return (outcome.hashCode() * 31 + fencing) * 31 + marker;
    }

    Reply tick(int forgotten) {
        return outcome == Outcome.GRANTED ? new Reply(outcome, Fencing.tick(fencing, forgotten), marker) : this;
    }
}
