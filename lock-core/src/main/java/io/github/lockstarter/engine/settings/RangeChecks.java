package io.github.lockstarter.engine.settings;

import io.github.lockstarter.DurationText;
import io.github.lockstarter.LockRequest;
import java.time.Duration;

/** Range checks whose messages name the property and say what to change. */
final class RangeChecks {

    /** Upper bound of every duration. */
    static final Duration LONGEST = LockRequest.MAX_DURATION;
    /** Lower bound of a lease. */
    static final Duration SHORTEST_LEASE = LockRequest.MIN_LEASE;

    /** Lower bound of a take-over time: a shorter one would pass before a connection can be opened again. */
    static final Duration SHORTEST_TAKE_OVER = Duration.ofMillis(200);

    private RangeChecks() {}

    static void within(String property, Duration value, Duration least, Duration most) {
        if (value.compareTo(least) < 0 || value.compareTo(most) > 0) {
            throw new IllegalArgumentException(property + " is " + DurationText.exactly(value) + "; it must be between "
                    + DurationText.exactly(least) + " and " + DurationText.exactly(most));
        }
    }

    static void warnAfter(String property, Duration value) {
        if (!value.isZero() && (value.compareTo(Duration.ofMillis(1)) < 0 || value.compareTo(LONGEST) > 0)) {
            throw new IllegalArgumentException(
                    property + " is " + DurationText.exactly(value) + "; it must be between 1ms and "
                            + DurationText.exactly(LONGEST) + ", or 0 to disable the warning");
        }
    }

    static void crashTakeOver(String property, Duration value) {
        if (!value.isZero() && (value.compareTo(SHORTEST_TAKE_OVER) < 0 || value.compareTo(LONGEST) > 0)) {
            throw new IllegalArgumentException(property + " is " + DurationText.exactly(value) + "; it must be between "
                    + DurationText.exactly(SHORTEST_TAKE_OVER) + " and " + DurationText.exactly(LONGEST)
                    + ", or 0 to leave the locks of a crashed instance to their lease");
        }
    }

    static void within(String property, int value, int least, int most) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(
                    property + " is " + value + "; it must be between " + least + " and " + most);
        }
    }

    static void atMostMaxLease(String property, Duration lease, Duration maxLease) {
        if (lease.compareTo(maxLease) > 0) {
            throw new IllegalArgumentException(property + " is " + DurationText.exactly(lease)
                    + ", above distributed-lock.max-lease (" + DurationText.exactly(maxLease)
                    + "). Set distributed-lock.max-lease=" + DurationText.exactly(lease)
                    + " in all applications that share locks, or lower the lease");
        }
    }

    static void atMostLease(String subject, Duration atLeast, Duration lease) {
        if (atLeast.compareTo(lease) > 0) {
            throw new IllegalArgumentException(
                    subject + " is " + DurationText.exactly(atLeast) + ", above the lease of the lock ("
                            + DurationText.exactly(lease) + "). Lower the minimum time, or raise the lease");
        }
    }

    static void atLeastLease(String subject, Duration maxHold, Duration lease) {
        if (maxHold.compareTo(lease) < 0) {
            throw new IllegalArgumentException(subject + " is " + DurationText.exactly(maxHold)
                    + ", below the lease of the lock (" + DurationText.exactly(lease)
                    + "), for which it is held anyway. Raise max-hold, or lower the lease");
        }
    }
}
