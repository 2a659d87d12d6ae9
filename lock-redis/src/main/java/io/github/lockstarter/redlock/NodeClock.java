package io.github.lockstarter.redlock;

import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Watches the clock of one node, by which its leases end, for having been set.
 *
 * <p>An answer tells the store's time at some moment between sending and receiving, so the offset of the store's clock
 * from the monotonic one of this JVM lies in an interval as wide as the round trip. Two clocks that are not set drift
 * apart by at most {@value #DRIFT_PPM} ppm. While each new interval meets the old one, widened by that or by
 * {@value #TOLERANCE_NANOS} ns, they are intersected: the offset becomes known to the shortest round trip, and steps
 * that are too small to see do not add up. An interval that does not meet the old one shows that the clock was set.
 *
 * <p>A clock that was set forward by <i>J</i> ends each lease that it measures <i>J</i> too early, and it measures
 * leases for the longest lease from then on. So for the longest lease from the answer that shows it, votes prove
 * nothing; not for <i>J</i> only, since a lease that is cut by 10 of its 30 s may end 20 s after the step. A clock that
 * was set back is treated alike: it may have been ahead, unseen, until then.
 *
 * <p>Not seen: what happened before the first answer to this JVM; a clock that is set and set back between two answers;
 * and a step smaller than the round trip or the tolerance. Thread-safe.
 */
final class NodeClock {

    static final long TOLERANCE_NANOS = 5_000_000;
    static final long DRIFT_PPM = 500;

    private static final long MICRO = 1_000;

    private static final long NANOS_FOR_ONE_OF_DRIFT = 1_000_000 / DRIFT_PPM;

    private final ReentrantLock lock = new ReentrantLock();
    private final long longestLease;
    private boolean isKnown;

    /** Bounds of the offset, store time minus monotonic time. */
    private long low;

    private long high;

    /**
     * The monotonic time up to which drift is allowed for in the bounds: what is too short to count is counted with the
     * next answer.
     */
    private long at;

    private @Nullable Long untrustedUntil;

    NodeClock(long longestLeaseNanos) {
        this.longestLease = longestLeaseNanos;
    }

    /** Takes the time that an answer told, which was sent for and received at these monotonic times. */
    void observe(long storeMicros, long sent, long received) {
        lock.lock();
        try {
            long least = storeMicros * MICRO - received;
            long most = storeMicros * MICRO + MICRO - sent;
            // None if an answer that was received later has been taken already.
            long drift = isKnown ? Math.max(0, (received - at) / NANOS_FOR_ONE_OF_DRIFT) : 0;
            long slack = Math.max(drift, TOLERANCE_NANOS);
            boolean isSet = isKnown && (least - (high + slack) > 0 || most - (low - slack) < 0);
            if (isSet) {
                untrustedUntil = received + longestLease;
            }
            if (isSet || !isKnown) {
                isKnown = true;
                low = least;
                high = most;
                at = received;
            } else {
                low -= drift;
                high += drift;
                at += drift * NANOS_FOR_ONE_OF_DRIFT;
                narrow(least, most);
            }
        } finally {
            lock.unlock();
        }
    }

    /** To what both say; where they differ, by no more than the tolerance, to the edge nearest to the new one. */
    private void narrow(long least, long most) {
        if (least - high > 0) {
            low = high;
        } else if (most - low < 0) {
            high = low;
        } else {
            low = least - low > 0 ? least : low;
            high = most - high < 0 ? most : high;
        }
    }

    /** For how many nanoseconds more a vote proves nothing; 0 if it does. */
    long untrustedFor(long now) {
        lock.lock();
        try {
            Long until = untrustedUntil;
            if (until != null && until - now > 0) {
                return until - now;
            }
            untrustedUntil = null; // before the monotonic clock comes round
            return 0;
        } finally {
            lock.unlock();
        }
    }
}
