package io.github.lockstarter.engine.settings;

import io.github.lockstarter.LockRequest;
import java.time.Duration;

/** Range checks whose messages name the property and say what to change. */
public final class RangeChecks {

    /** Upper bound of every duration. */
    public static final Duration LONGEST = LockRequest.MAX_DURATION;
    /** Lower bound of a lease. */
    public static final Duration SHORTEST_LEASE = LockRequest.MIN_LEASE;

    private RangeChecks() {}

    /**
     * Checks a duration.
     *
     * @param property what is checked, for the message
     * @param value its value
     * @param least lower bound, allowed
     * @param most upper bound, allowed
     * @throws IllegalArgumentException if the value is out of range
     */
    public static void within(String property, Duration value, Duration least, Duration most) {
        if (value.compareTo(least) < 0 || value.compareTo(most) > 0) {
            throw new IllegalArgumentException(property + " is " + DurationText.exactly(value) + "; it must be between "
                    + DurationText.exactly(least) + " and " + DurationText.exactly(most));
        }
    }

    static void within(String property, int value, int least, int most) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(
                    property + " is " + value + "; it must be between " + least + " and " + most);
        }
    }

    static void within(String property, double value, double least, double most) {
        if (!(value >= least && value <= most)) {
            throw new IllegalArgumentException(
                    property + " is " + value + "; it must be between " + least + " and " + most);
        }
    }

    /**
     * Checks a lease against the longest that is configured.
     *
     * @param property what is checked, for the message
     * @param lease its value
     * @param maxLease the longest
     * @throws IllegalArgumentException if the lease is longer
     */
    public static void atMostMaxLease(String property, Duration lease, Duration maxLease) {
        if (lease.compareTo(maxLease) > 0) {
            throw new IllegalArgumentException(
                    property + " is " + DurationText.exactly(lease) + ", above distributed-lock.max-lease ("
                            + DurationText.exactly(maxLease) + "). Lower it, or raise distributed-lock.max-lease");
        }
    }
}
