package io.github.lockstarter.redlock;

import org.jspecify.annotations.Nullable;

/**
 * Watches the clock of one node, by which its leases end, for having been set.
 *
 * <p>An answer tells the store's time at some moment between sending and receiving, so the offset of the store's clock from
 * the monotonic one of this JVM lies in an interval as wide as the round trip. Two clocks that nobody sets drift apart by
 * at most {@value #DRIFT_PPM} ppm. While each new interval meets the old one, widened by that or by {@value
 * #TOLERANCE_NANOS} ns, they are intersected: the offset becomes known to the shortest round trip, and steps that are too
 * small to see do not add up. An interval that does not meet the old one shows that the clock was set.
 *
 * <p>A clock that was set forward by <i>J</i> ends each lease that it measures <i>J</i> too early, and it measures leases
 * for the longest lease from then on. So for the longest lease from the answer that shows it, votes prove nothing; not for
 * <i>J</i> only, since a lease that is cut by 10 of its 30 s may end 20 s after the step. A clock that was set back is
 * treated alike: it may have been ahead, unseen, until then.
 *
 * <p>Not seen: what happened before the first answer to this JVM; a clock that is set and set back between two answers; and
 * a step smaller than the round trip or the tolerance. Thread-safe; {@link #known} and {@link #untrustedUntil} are guarded
 * by this.
 */
final class NodeClock {

    static final long TOLERANCE_NANOS = 5_000_000;
    static final long DRIFT_PPM = 500;

    private static final long MICRO = 1_000;

    /** Bounds of the offset, store time minus monotonic time, and the monotonic time at which they held. */
    private record Offset(long low, long high, long at) {

        long drift(long now) {
            return (now - at) / 1_000_000 * DRIFT_PPM;
        }
    }

    private final long longestLease;
    private @Nullable Offset known;
    private @Nullable Long untrustedUntil;

    NodeClock(long longestLeaseNanos) {
        this.longestLease = longestLeaseNanos;
    }

    /** Takes the time that an answer told, which was sent for and received at these monotonic times. */
    synchronized void observe(long storeMicros, long sent, long received) {
        long low = storeMicros * MICRO - received;
        long high = storeMicros * MICRO + MICRO - sent;
        Offset before = known;
        if (before == null) {
            known = new Offset(low, high, received);
            return;
        }
        long drift = Math.max(0, before.drift(received));
        long slack = Math.max(drift, TOLERANCE_NANOS);
        if (low - (before.high() + slack) > 0 || high - (before.low() - slack) < 0) {
            known = new Offset(low, high, received);
            untrustedUntil = received + longestLease;
            return;
        }
        known = narrowed(low, high, before.low() - drift, before.high() + drift, received);
    }

    /** What both say; where they differ by no more than the tolerance, the edge that is nearest to the new one. */
    private static Offset narrowed(long low, long high, long least, long most, long at) {
        long newLow = low - least > 0 ? low : least;
        long newHigh = high - most < 0 ? high : most;
        if (newLow - newHigh <= 0) {
            return new Offset(newLow, newHigh, at);
        }
        long edge = low - most > 0 ? most : least;
        return new Offset(edge, edge, at);
    }

    /** For how many nanoseconds more a vote proves nothing; 0 if it does. */
    synchronized long untrustedFor(long now) {
        Long until = untrustedUntil;
        if (until == null) {
            return 0;
        }
        long left = until - now;
        if (left <= 0) {
            untrustedUntil = null;
            return 0;
        }
        return left;
    }
}
