package io.github.lockstarter.engine;

import io.github.lockstarter.LockRequest;
import java.time.Duration;

/** Range checks whose messages name the property and say what to change. */
final class Checks {

    static final Duration LONGEST = LockRequest.MAX_DURATION;
    static final Duration SHORTEST_LEASE = LockRequest.MIN_LEASE;

    private Checks() {}

    static void within(String property, Duration value, Duration least, Duration most) {
        if (value.compareTo(least) < 0 || value.compareTo(most) > 0) {
            throw new IllegalArgumentException(property + " is " + Texts.exactly(value) + "; it must be between "
                    + Texts.exactly(least) + " and " + Texts.exactly(most));
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

    static void atMostMaxLease(String property, Duration lease, Duration maxLease) {
        if (lease.compareTo(maxLease) > 0) {
            throw new IllegalArgumentException(
                    property + " is " + Texts.exactly(lease) + ", above distributed-lock.max-lease ("
                            + Texts.exactly(maxLease) + "). Lower it, or raise distributed-lock.max-lease");
        }
    }
}
