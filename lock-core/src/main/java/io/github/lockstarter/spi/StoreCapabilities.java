package io.github.lockstarter.spi;

import java.time.Duration;

/**
 * What a store of locks can do beyond exclusion. The engine asks a store for no more than it declares; the store's
 * auto-configuration refuses, at the start, a configuration that needs more.
 *
 * @param signals whom a release wakes
 * @param leases what ends the lock of an owner that has stopped to renew it
 * @param shortestLease the shortest lease that the store keeps; a shorter one lasts at least as long as asked for
 * @param fencingTokens how many fencing tokens one grant can cover: with 1, an instance cannot hand a lock over to
 *     its own waiters without asking the store
 * @param minimumTimes whether the store keeps a lock for the rest of its minimum time after a release
 * @param permits whether a lock can have more than one permit
 */
public record StoreCapabilities(
        Signals signals,
        Leases leases,
        Duration shortestLease,
        int fencingTokens,
        boolean minimumTimes,
        boolean permits) {

    /** Of a store that can do all that the port has. */
    public static final StoreCapabilities ALL = new StoreCapabilities(
            Signals.IN_ORDER, Leases.PER_LOCK, Duration.ofMillis(1), AcquireCommand.MOST_FENCING_TOKENS, true, true);

    /**
     * Checks what is given.
     *
     * @param signals whom a release wakes
     * @param leases what ends the lock of an owner that has stopped to renew it
     * @param shortestLease the shortest lease that the store keeps
     * @param fencingTokens how many fencing tokens one grant can cover
     * @param minimumTimes whether the store keeps a lock for the rest of its minimum time
     * @param permits whether a lock can have more than one permit
     * @throws IllegalArgumentException when the number of fencing tokens is out of range, or the lease is below 1 ms
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

    /** Whom a release wakes. */
    public enum Signals {

        /**
         * Nobody: a waiter looks again after {@link AcquireResult.Contended#lookAgain}. The owner is not told either
         * that another instance waits, or that an operator took its lock away; the latter it finds out when it renews.
         */
        NONE,

        /** All instances that wait, in no order. A {@code position} means nothing. */
        TO_ALL,

        /** The instance that has waited longest, and no other. */
        IN_ORDER
    }

    /** What ends the lock of an owner that has stopped to renew it. */
    public enum Leases {

        /** Each lock has a lease of its own, which the store's clock ends. */
        PER_LOCK,

        /**
         * The locks of an instance that has crashed or is cut off end with its session, whatever their leases are; a
         * renewal asks whether the session is still the one that has the lock. The backend itself frees a lock whose
         * lease ends without a renewal while its session goes on.
         */
        OF_SESSION
    }
}
