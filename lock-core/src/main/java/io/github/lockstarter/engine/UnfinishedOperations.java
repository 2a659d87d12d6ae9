package io.github.lockstarter.engine;

import java.util.function.Consumer;

/**
 * Completes what threads began and could not end for want of stack or memory: a grant that its caller did not live to take, a
 * release that was asked for. Such a thread can do no more than set a field, so it marks the {@link Acquisition} or the
 * {@link HoldHandle}, and then {@link #wanted}; the timer's thread, which ticks at least once a second while anything is held,
 * looks at all holds then.
 */
final class UnfinishedOperations {

    private final Holds holds;
    private final Exits exits;
    private final Consumer<Acquisition> abandon;

    /** Set without a call by any thread whose stack or memory is at an end, after its mark. */
    volatile boolean wanted;

    /** With what takes an acquisition out of its queue, and exits the hold that was decided for it, if there is one. */
    UnfinishedOperations(Holds holds, Exits exits, Consumer<Acquisition> abandon) {
        this.holds = holds;
        this.exits = exits;
        this.abandon = abandon;
    }

    /** On the timer's thread. */
    void run() {
        if (wanted) {
            wanted = false;
            holds.forEach(hold -> EngineLog.guard("Completing a release", () -> repair(hold)));
        }
    }

    private void repair(Hold hold) {
        hold.forsakenBy().ifPresent(abandon);
        HoldHandle latest = hold.unfinished;
        for (HoldHandle each = latest; each != null; each = each.nextUnfinished) {
            if (each.isToBeFinished()) {
                exits.leave(each);
            }
        }
        if (latest != null) {
            hold.finished(latest);
        }
    }
}
