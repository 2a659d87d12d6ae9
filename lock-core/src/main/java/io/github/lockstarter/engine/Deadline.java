package io.github.lockstarter.engine;

import io.github.lockstarter.engine.settings.EngineClock;
import java.time.Duration;

/**
 * End of a lease as its holder sees it: never later than the store's.
 *
 * <p>Counted on the monotonic clock from <em>before</em> the command was sent, minus {@link #drift}. The wall clock
 * covers the time in which a suspended machine's monotonic clock stands still; one set forward ends a lease early,
 * which is safe.
 *
 * @param nanos end on the monotonic clock
 * @param wallMillis end on the wall clock, without drift, so that normally the monotonic one comes first
 */
public record Deadline(long nanos, long wallMillis) {

    private static final long MIN_DRIFT_NANOS = 2_000_000;

    static Deadline of(Moment sent, long leaseNanos) {
        return new Deadline(
                sent.nanos() + leaseNanos - drift(leaseNanos), sent.wallMillis() + leaseNanos / 1_000_000 + 1);
    }

    /** Allowance for different clock speeds: 1% of the lease, at least 2 ms. */
    static long drift(long leaseNanos) {
        return Math.max(leaseNanos / 100, MIN_DRIFT_NANOS);
    }

    /** From the earlier of both ends. */
    boolean isOver(Moment now) {
        return now.nanos - nanos >= 0 || now.wallMillis >= wallMillis;
    }

    /** Zero once the lease may be over. */
    Duration remaining(Moment now) {
        return isOver(now) ? Duration.ZERO : Duration.ofNanos(nanos - now.nanos);
    }

    /** By the monotonic clock. */
    boolean isAfter(Deadline other) {
        return nanos - other.nanos > 0;
    }

    /**
     * One instant on both clocks.
     *
     * @param nanos monotonic
     * @param wallMillis wall
     */
    public record Moment(long nanos, long wallMillis) {

        /**
         * {@return the present instant}
         *
         * @param clock clocks
         */
        public static Moment now(EngineClock clock) {
            return new Moment(clock.nanos(), clock.wallMillis());
        }
    }
}
