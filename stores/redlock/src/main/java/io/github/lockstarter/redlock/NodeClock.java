package io.github.lockstarter.redlock;

import org.jspecify.annotations.Nullable;

/**
 * Detects that the clock of a node, which ends its leases, was set.
 * <p>The node reads its clock between our sending and receiving, so its offset from this JVM's monotonic clock lies in
 * an interval as wide as the round trip. Clocks that are not set drift apart by at most {@value #DRIFT_PPM} ppm. Each
 * new interval is intersected with the old one, widened by the drift or by {@value #TOLERANCE_NANOS} ns: this narrows
 * the offset to the shortest round trip, and undetectably small steps do not add up. Disjoint intervals show a step.
 * <p>A clock that was set forward by <i>J</i> ends every running lease <i>J</i> too early, so votes prove nothing for
 * the longest lease after the answer that shows it. A clock that was set back may have been ahead before, undetected.
 * {@link RedlockBackend} lists the steps that go undetected. Thread-safe.
 */
final class NodeClock {

    static final long TOLERANCE_NANOS = 5_000_000;
    static final long DRIFT_PPM = 500;

    private static final long MICRO = 1_000;

    private static final long NANOS_FOR_ONE_OF_DRIFT = 1_000_000 / DRIFT_PPM;

    private final long longestLease;
    private boolean known;

    /** Bounds of the offset, store time minus monotonic time. */
    private long low;

    private long high;

    /** Monotonic time up to which the bounds include drift; the remainder below 1 ns of drift carries over. */
    private long at;

    private @Nullable Long untrustedUntil;

    NodeClock(long longestLeaseNanos) {
        this.longestLease = longestLeaseNanos;
    }

    synchronized void observe(long storeMicros, long sent, long received) {
        long least = storeMicros * MICRO - received;
        long most = storeMicros * MICRO + MICRO - sent;
        // No drift if a later answer has been evaluated before.
        long drift = known ? Math.max(0, (received - at) / NANOS_FOR_ONE_OF_DRIFT) : 0;
        long slack = Math.max(drift, TOLERANCE_NANOS);
        boolean set = known && (least - (high + slack) > 0 || most - (low - slack) < 0);
        if (set) {
            untrustedUntil = received + longestLease;
        }
        if (set || !known) {
            known = true;
            low = least;
            high = most;
            at = received;
        } else {
            low -= drift;
            high += drift;
            at += drift * NANOS_FOR_ONE_OF_DRIFT;
            narrow(least, most);
        }
    }

    /** If the bounds differ within the tolerance, moves to the edge nearest to the new interval. */
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

    /** Nanoseconds for which votes of this node still prove nothing; 0 if they count. */
    synchronized long untrustedFor(long now) {
        Long until = untrustedUntil;
        if (until != null && until - now > 0) {
            return until - now;
        }
        untrustedUntil = null; // before the monotonic clock wraps
        return 0;
    }
}
