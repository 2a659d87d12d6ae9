package io.github.lockstarter.engine;

import io.github.lockstarter.engine.settings.EngineClock;
import java.time.Duration;

/**
 * The end of a lease as its holder sees it: earlier than the backend's, whatever happened to the command in between.
 *
 * <p>Counted on the monotonic clock from <em>before</em> the command was sent, minus {@link #drift}: the allowance for
 * clocks that run at different speeds. The wall clock is a second witness for the time during which a suspended
 * machine's monotonic clock stands still. A wall clock that is set forward can end a lease too early, which is safe.
 *
 * @param nanos end on the monotonic clock
 * @param wallMillis end on the wall clock, without allowance, so that in normal times the monotonic one comes first
 */
public record Deadline(long nanos, long wallMillis) {

    private static final long LEAST_DRIFT_NANOS = 2_000_000;

    /** The deadline of a lease: the lease from a moment before its command is sent, less the allowance for drift. */
    static Deadline of(Moment sent, long leaseNanos) {
        return new Deadline(
                sent.nanos() + leaseNanos - drift(leaseNanos), sent.wallMillis() + leaseNanos / 1_000_000 + 1);
    }

    /** One per cent of the lease, at least 2 ms. */
    static long drift(long leaseNanos) {
        return Math.max(leaseNanos / 100, LEAST_DRIFT_NANOS);
    }

    /** Whether the lease may be over: true from the earlier of both ends. */
    boolean isOver(EngineClock clock) {
        return clock.nanos() - nanos >= 0 || clock.wallMillis() >= wallMillis;
    }

    /** The same at a moment. */
    boolean isOver(Moment now) {
        return now.nanos - nanos >= 0 || now.wallMillis >= wallMillis;
    }

    /** How much of the lease is left at this moment; zero once it may be over. */
    Duration remaining(Moment now) {
        return isOver(now) ? Duration.ZERO : Duration.ofNanos(nanos - now.nanos);
    }

    /** Whether the {@link #of deadline} of a lease may be over that was asked for when the command was sent. */
    static boolean isOver(Moment sent, long leaseNanos, Moment now) {
        return now.nanos - sent.nanos >= leaseNanos - drift(leaseNanos)
                || now.wallMillis > sent.wallMillis + leaseNanos / 1_000_000;
    }

    /** Whether this deadline is later than the other, by the monotonic clock. */
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
         * Reads both clocks.
         *
         * @param clock the clocks
         * @return the present instant
         */
        public static Moment now(EngineClock clock) {
            return new Moment(clock.nanos(), clock.wallMillis());
        }
    }
}
