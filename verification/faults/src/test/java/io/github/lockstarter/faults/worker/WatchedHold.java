package io.github.lockstarter.faults.worker;

import io.github.lockstarter.kit.event.EventKind;
import io.github.lockstarter.kit.event.LabEvent;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/**
 * A hold, and when it was last certain. The clock is read <em>before</em> the hold is checked: a hold that is certain
 * at the answer had the lock at that time too, since it was granted before. Used by one thread after the other.
 */
final class WatchedHold {

    /** Between two looks while the thread works: an overlap that is shorter may stay unseen. */
    private static final Duration STEP = Duration.ofMillis(5);

    /** Time that a kill -9 of the worker may lose. */
    private static final Duration BETWEEN_EVENTS = Duration.ofMillis(50);

    private final Journal journal;
    private final String key;
    private final Subject.Held held;
    private long certainAt;
    private long writtenAt;

    WatchedHold(Journal journal, String key, Subject.Held held) {
        this.journal = journal;
        this.key = key;
        this.held = held;
    }

    String key() {
        return key;
    }

    /** Whether others may read at the same time. */
    boolean reads() {
        return LabEvent.isRead(key);
    }

    Subject.Held held() {
        return held;
    }

    /** When it was last seen to be certain; 0 if never. */
    long certainAt() {
        return certainAt;
    }

    /** Looks whether it is certain, and so was since its grant. */
    boolean look() {
        long now = System.nanoTime();
        if (!held.isHeld()) {
            return false;
        }
        certainAt = now;
        if (writtenAt == 0 || now - writtenAt > BETWEEN_EVENTS.toNanos()) {
            writtenAt = now;
            journal.write(journal.event(EventKind.CERTAIN)
                    .of(key, held.fencingToken())
                    .at(now));
        }
        return true;
    }

    /** Passes time, and looks. */
    void dwell(Duration time) {
        long end = System.nanoTime() + time.toNanos();
        for (long left = time.toNanos(); left > 0; left = end - System.nanoTime()) {
            LockSupport.parkNanos(Math.min(left, STEP.toNanos()));
            look();
        }
    }
}
