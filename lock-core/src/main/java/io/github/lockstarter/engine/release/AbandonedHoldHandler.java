package io.github.lockstarter.engine.release;

import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockEvent.Abandonment;
import io.github.lockstarter.engine.event.EventDispatcher;
import io.github.lockstarter.engine.hold.Hold;

/**
 * Decides what happens to a renewed hold whose handles can no longer be reached: a release, or a report.
 *
 * <p>It is released where that is safe: every section ends with a release by a handle; a section of a thread runs on
 * that thread, or where one of its handles is; so there is none once the thread has ended and no handle can be reached.
 * A thread that lives may be in its section and never mean to end it, and so may any thread be in the section of a hold
 * that belongs to its handle; a section with a loss callback relies on the lock until the callback runs. These
 * holds are kept, and reported to the listeners.
 *
 * <p>Called by the timer's thread only; keeps no state but the holds' marks.
 */
public final class AbandonedHoldHandler {

    private final EventDispatcher events;
    private final LockReleaser releaser;

    public AbandonedHoldHandler(EventDispatcher events, LockReleaser releaser) {
        this.events = events;
        this.releaser = releaser;
    }

    /** No handle of the hold can be reached. */
    public void found(Hold hold) {
        if (hold.owner.hasEnded() && !hold.hasLostCallbacks()) {
            report(hold, Abandonment.RELEASED);
            releaser.abandon(hold);
        } else if (!hold.isReportedAbandoned) {
            hold.isReportedAbandoned = true;
            report(hold, Abandonment.KEPT);
        }
    }

    private void report(Hold hold, Abandonment abandonment) {
        events.publish(new LockEvent.Abandoned(
                hold.terms.name(), hold.key, hold.fencingToken, hold.owner.label(), hold.held(), abandonment));
    }
}
