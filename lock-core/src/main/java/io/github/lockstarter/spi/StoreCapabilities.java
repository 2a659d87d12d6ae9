package io.github.lockstarter.spi;

import java.time.Duration;

/**
 * Capabilities of a store beyond exclusion. The engine uses no others; the store's auto-configuration refuses at
 * startup a configuration that needs more.
 *
 * @param signals instances that a release wakes
 * @param leases end of unrenewed locks
 * @param shortestLease minimum lease; shorter ones are lengthened
 * @param fencingTokens maximum number of fencing tokens per grant; 1 disables hand-overs
 * @param minimumTimes whether a released lock is kept for the rest of its minimum time
 * @param permits whether a lock can have more than one permit
 */
public record StoreCapabilities(
        Signals signals,
        Leases leases,
        Duration shortestLease,
        int fencingTokens,
        boolean minimumTimes,
        boolean permits) {

    /** All capabilities of the port. */
    public static final StoreCapabilities ALL = new StoreCapabilities(
            Signals.IN_ORDER, Leases.PER_LOCK, Duration.ofMillis(1), AcquireCommand.MOST_FENCING_TOKENS, true, true);

    /**
     * Checks the ranges.
     *
     * @param signals signals
     * @param leases leases
     * @param shortestLease lease
     * @param fencingTokens number
     * @param minimumTimes minimum times
     * @param permits permits
     * @throws IllegalArgumentException when {@code fencingTokens} is out of range, or the lease is below 1 ms
     */
    public StoreCapabilities {
        if (fencingTokens < 1 || fencingTokens > AcquireCommand.MOST_FENCING_TOKENS) {
            throw new IllegalArgumentException("A grant covers 1 to " + AcquireCommand.MOST_FENCING_TOKENS
                    + " fencing tokens, not " + fencingTokens);
        }
        if (shortestLease.toMillis() < 1) {
            throw new IllegalArgumentException("The shortest lease is at least 1 ms, not " + shortestLease);
        }
    }

    /** {@return the same capabilities for locks with one permit only} */
    public StoreCapabilities withOnePermit() {
        return new StoreCapabilities(signals, leases, shortestLease, fencingTokens, minimumTimes, false);
    }

    /** Instances that a release wakes. */
    public enum Signals {

        /**
         * None: waiters poll after {@link AcquireResult.Contended#lookAgain}. The owner receives no notice of waiting
         * instances or revocation.
         */
        NONE,

        /** All waiting instances, unordered; positions are meaningless. */
        TO_ALL,

        /** The longest-waiting instance only. */
        IN_ORDER
    }

    /** End of the lock of an owner that no longer renews it. */
    public enum Leases {

        /** Each lock's own lease, by the store's clock. */
        PER_LOCK,

        /**
         * The session of a crashed or disconnected instance, whatever the leases of its locks; a renewal checks that
         * the session still has the lock. The backend itself frees a lock whose lease ends during the session.
         */
        OF_SESSION
    }
}
