package io.github.lockstarter.engine.release;

import io.github.lockstarter.engine.hold.Hold;
import io.github.lockstarter.engine.hold.HoldHandle;
import io.github.lockstarter.engine.hold.HoldOperations;
import io.github.lockstarter.engine.hold.Holds;
import io.github.lockstarter.engine.queue.Acquisition;
import io.github.lockstarter.engine.thread.EngineLog;
import java.util.function.Consumer;

/**
 * Completes what threads began and could not end for want of stack or memory: a grant that its caller did not live to
 * take, a release that was asked for. Such a thread can do no more than set a field, so it marks the
 * {@link Acquisition} or the {@link HoldHandle}, and then {@link HoldOperations#hasUnfinished}; the timer's thread,
 * which ticks at least once a second while anything is held, looks at all holds then.
 */
public final class UnfinishedOperations {

    private final Holds holds;
    private final LockReleaser releaser;
    private final HoldOperations operations;
    private final Consumer<Acquisition> abandon;

    /** With what takes an acquisition out of its queue, and exits the hold that was decided for it, if there is one. */
    public UnfinishedOperations(
            Holds holds, LockReleaser releaser, HoldOperations operations, Consumer<Acquisition> abandon) {
        this.holds = holds;
        this.releaser = releaser;
        this.operations = operations;
        this.abandon = abandon;
    }

    /** On the timer's thread. */
    public void run() {
        if (operations.hasUnfinished) {
            operations.hasUnfinished = false;
            holds.forEach(hold -> EngineLog.guard("Completing a release", () -> complete(hold)));
        }
    }

    private void complete(Hold hold) {
        if (hold.forsakenBy().orElse(null) instanceof Acquisition acquisition) {
            abandon.accept(acquisition);
        }
        HoldHandle latest = hold.unfinished;
        for (HoldHandle each = latest; each != null; each = each.nextUnfinished) {
            if (each.isToBeFinished()) {
                releaser.leave(each);
            }
        }
        if (latest != null) {
            hold.finished(latest);
        }
    }
}
