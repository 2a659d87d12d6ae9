package io.github.lockstarter.model;

/**
 * An answer on its way.
 *
 * @param outcome what it says
 * @param fencing the fencing token of a grant
 * @param marker id of the marker that the server has
 */
record Reply(Outcome outcome, int fencing, int marker) {

    Reply tick(int forgotten) {
        return outcome == Outcome.GRANTED ? new Reply(outcome, Fencing.tick(fencing, forgotten), marker) : this;
    }
}
