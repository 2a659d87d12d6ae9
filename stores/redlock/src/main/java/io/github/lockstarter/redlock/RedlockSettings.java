package io.github.lockstarter.redlock;

import io.github.lockstarter.DurationText;
import java.time.Duration;

/**
 * Settings that all nodes of a quorum share.
 *
 * @param nodeTimeout command timeout of every node; also the window in which signals of several nodes count as one
 *     release
 * @param longestLease longest lease of any lock of any client
 */
public record RedlockSettings(Duration nodeTimeout, Duration longestLease) {

    /** An acquisition takes up to two rounds, and its lease must be much longer. */
    private static final int LEAST_TIMEOUTS_IN_LEASE = 4;

    /**
     * Validates the settings.
     *
     * @param nodeTimeout positive, at most a quarter of the longest lease
     * @param longestLease longest lease of any lock of any client
     * @throws IllegalArgumentException if the timeout is out of range
     */
    public RedlockSettings {
        if (nodeTimeout.isNegative()
                || nodeTimeout.isZero()
                || nodeTimeout.multipliedBy(LEAST_TIMEOUTS_IN_LEASE).compareTo(longestLease) > 0) {
            throw new IllegalArgumentException("The timeout of a Redlock node is " + DurationText.exactly(nodeTimeout)
                    + "; it must be positive, and at most a quarter of the longest lease, which is "
                    + DurationText.exactly(longestLease));
        }
    }
}
