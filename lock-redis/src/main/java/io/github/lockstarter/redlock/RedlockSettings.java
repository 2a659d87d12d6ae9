package io.github.lockstarter.redlock;

import io.github.lockstarter.DurationText;
import java.time.Duration;

/**
 * Settings that all nodes of a quorum share.
 *
 * @param nodeTimeout how long a node may take to answer: the command timeout of every node. Also for how long signals
 *     of several nodes count as signals of one release
 * @param longestLease no lock of any client lives longer without renewal
 */
public record RedlockSettings(Duration nodeTimeout, Duration longestLease) {

    /** An acquisition may take two rounds, and its lease has to outlive them by far. */
    private static final int LEAST_TIMEOUTS_IN_LEASE = 4;

    /**
     * Checks what is given.
     *
     * @param nodeTimeout positive, and at most a quarter of the longest lease
     * @param longestLease no lock of any client lives longer without renewal
     * @throws IllegalArgumentException when the timeout is out of range
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
