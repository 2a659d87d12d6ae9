package io.github.lockstarter.spi;

import java.time.Duration;
import java.util.Optional;

/**
 * One attempt to get a lock.
 *
 * <p>An attempt may be repeated with the same token. If the token does not have the lock, the repetition is a new
 * attempt. If it has the lock, the store leaves the lease and answers with the first of its fencing tokens again: the
 * last one of the owner, minus {@code fencingTokens}, plus 1. If that is not above the {@code fencingFloor}, the store
 * <em>raises</em> the tokens: they begin at exactly {@code fencingFloor + 1}, independently of the store's clock, and
 * the last one of the owner grows with them. A quorum agrees on one number that way. (A quorum may answer a repetition
 * with a greater number than before, never with a smaller one, since other stores of it answer.) On a single store no
 * attempt raises, since a grant is above the floor of its attempt. A repeated raise gets the same answer and changes
 * nothing.
 *
 * @param key the lock's key
 * @param token unique to this attempt
 * @param lease how long the lock is to live without renewal; at least 1 ms
 * @param fencingFloor the granted fencing tokens must be greater than this
 * @param fencingTokens how many fencing tokens in a row to grant, so that the instance can hand the lock over to its
 *     own waiters without asking again; 1 to {@value #MOST_FENCING_TOKENS}
 * @param waiting present if the caller waits when the lock is busy
 * @param atLeast minimum time for which the lock is to be kept from the grant on, by its release; zero if there is
 *     none. Otherwise a store that grants the lock notes when, by its own clock
 * @param permits how many slots the lock has: the store grants one that is free, or repeats the one that the token has;
 *     1 where the store's {@link StoreCapabilities#permits} say so
 */
public record AcquireCommand(
        String key,
        LockToken token,
        Duration lease,
        long fencingFloor,
        int fencingTokens,
        Optional<Waiting> waiting,
        Duration atLeast,
        int permits) {

    /** The most fencing tokens that one grant covers. */
    public static final int MOST_FENCING_TOKENS = 1024;

    /**
     * Checks what is given.
     *
     * @param key the lock's key
     * @param token unique to this attempt
     * @param lease how long the lock is to live without renewal
     * @param fencingFloor the granted fencing tokens must be greater than this
     * @param fencingTokens how many fencing tokens in a row to grant
     * @param waiting present if the caller waits when the lock is busy
     * @param atLeast minimum time for which the lock is to be kept
     * @param permits how many slots the lock has
     * @throws IllegalArgumentException when the number of fencing tokens is out of range
     */
    public AcquireCommand {
        if (fencingTokens < 1 || fencingTokens > MOST_FENCING_TOKENS) {
            throw new IllegalArgumentException("A grant covers 1 to " + MOST_FENCING_TOKENS + " fencing tokens, not "
                    + fencingTokens + " (lock '" + key + "')");
        }
    }

    /**
     * An attempt to get a lock that has one permit and no minimum time.
     *
     * @param key the lock's key
     * @param token unique to this attempt
     * @param lease how long the lock is to live without renewal
     * @param fencingFloor the granted fencing tokens must be greater than this
     * @param fencingTokens how many fencing tokens in a row to grant
     * @param waiting present if the caller waits when the lock is busy
     * @throws IllegalArgumentException when the number of fencing tokens is out of range
     */
    public AcquireCommand(
            String key,
            LockToken token,
            Duration lease,
            long fencingFloor,
            int fencingTokens,
            Optional<Waiting> waiting) {
        this(key, token, lease, fencingFloor, fencingTokens, waiting, Duration.ZERO, 1);
    }

    /**
     * The registration of a waiting instance.
     *
     * @param position the position from the answer to an earlier attempt; {@link #NEW} for the end of the queue
     * @param patience how long the registration is kept at least; other waiters may keep it longer
     */
    public record Waiting(long position, Duration patience) {

        /** No position yet. */
        public static final long NEW = 0;
    }
}
