package io.github.lockstarter.engine;

/**
 * Completes what threads began and could not end for want of stack or memory: a grant that its caller did not live to take, a
 * release that was asked for. Such a thread can do no more than set a field, so it marks the {@link Acquisition} or the
 * {@link HoldHandle}, and then {@link #wanted}; the timer's thread, which ticks at least once a second while anything is held,
 * looks at all holds then.
 */
final class Repairs {

    private final Holds holds;
    private final Exits exits;

    /** Set without a call by any thread whose stack or memory is at an end, after its mark. */
    volatile boolean wanted;

    Repairs(Holds holds, Exits exits) {
        this.holds = holds;
        this.exits = exits;
    }

    /** On the timer's thread. */
    void run() {
        if (wanted) {
            wanted = false;
            holds.forEach(hold -> Faults.guard("Completing a release", () -> repair(hold)));
        }
    }

    private void repair(Hold hold) {
        if (hold.isForsaken()) {
            exits.exit(hold);
        }
        for (HoldHandle each = hold.unfinished; each != null; each = each.nextUnfinished) {
            if (each.isToBeFinished()) {
                exits.leave(each);
            }
        }
    }
}
