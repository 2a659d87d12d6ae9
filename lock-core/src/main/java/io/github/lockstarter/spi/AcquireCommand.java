package io.github.lockstarter.spi;

import io.github.lockstarter.LockMode;
import io.github.lockstarter.LockRequest;
import java.time.Duration;
import java.util.Optional;

/**
 * One attempt to get a lock.
 *
 * <p>An attempt may be repeated with the same token. If the token has the lock, the store keeps the lease and answers
 * with the owner's first fencing token again: its last one, minus {@code fencingTokens}, plus 1. If that does not
 * exceed {@code fencingFloor}, the store <em>raises</em> the tokens to start at exactly {@code fencingFloor + 1},
 * independently of its clock, so that a quorum agrees on one number. Repeating a raise changes nothing. On a single
 * store no attempt raises, because a grant exceeds the floor of its attempt. A repetition on a quorum may get a greater
 * number than before, never a smaller one.
 *
 * @param key key
 * @param token unique to this attempt
 * @param lease lease without renewal; at least 1 ms
 * @param fencingFloor number that the granted fencing tokens must exceed
 * @param fencingTokens number of consecutive fencing tokens to grant, for handovers within the instance; 1 to {@value
 *     #MAX_FENCING_TOKENS}
 * @param waiting present if the caller waits for a busy lock
 * @param minHold minimum hold from the grant that the release enforces, or zero; if set, the store records the grant's
 *     time by its own clock
 * @param permits number of slots: the store grants a free one, or repeats the token's slot; 1 unless {@link
 *     StoreCapabilities#permits}
 * @param replaced {@linkplain LockToken#value token} that must have the lock, which then passes to this attempt's
 *     token, with this lease. Otherwise the answer is {@code Contended}, even for a free lock, with a remaining lease
 *     of zero; no crashed owner loses it.
 *     While the store may have forgotten locks, it is {@code Recovering}, and the replaced token keeps the lock until
 *     after that time. For one fencing token without waiting, permits or readers; empty
 *     unless {@link StoreCapabilities#tickets}
 * @param mode {@link LockMode#READ} for one of {@link Slots#OF_READERS}, while slot 0 has no owner, and beside other
 *     readers only while no other instance waits before this one. If the token has slot 0, the store moves its lock,
 *     with lease and fencing tokens, to a free slot of readers
 */
public record AcquireCommand(
        String key,
        LockToken token,
        Duration lease,
        long fencingFloor,
        int fencingTokens,
        Optional<Waiting> waiting,
        Duration minHold,
        int permits,
        Optional<String> replaced,
        LockMode mode) {

    /** Maximum number of fencing tokens per grant. */
    public static final int MAX_FENCING_TOKENS = 1024;

    /**
     * Checks the number of fencing tokens.
     *
     * @param key key
     * @param token token
     * @param lease lease
     * @param fencingFloor floor
     * @param fencingTokens number
     * @param waiting registration
     * @param minHold minimum hold
     * @param permits slots
     * @param replaced present owner
     * @param mode readers or writers
     * @throws IllegalArgumentException when {@code fencingTokens} is out of range
     */
    public AcquireCommand {
        if (fencingTokens < 1 || fencingTokens > MAX_FENCING_TOKENS) {
            throw new IllegalArgumentException("A grant covers 1 to " + MAX_FENCING_TOKENS + " fencing tokens, not "
                    + fencingTokens + " (lock '" + key + "')");
        }
    }

    /**
     * An attempt to write.
     *
     * @param key key
     * @param token token
     * @param lease lease
     * @param fencingFloor floor
     * @param fencingTokens number
     * @param waiting registration
     * @param minHold minimum hold
     * @param permits slots
     * @param replaced present owner
     */
    public AcquireCommand(
            String key,
            LockToken token,
            Duration lease,
            long fencingFloor,
            int fencingTokens,
            Optional<Waiting> waiting,
            Duration minHold,
            int permits,
            Optional<String> replaced) {
        this(key, token, lease, fencingFloor, fencingTokens, waiting, minHold, permits, replaced, LockMode.WRITE);
    }

    /**
     * An attempt with one permit and no minimum hold.
     *
     * @param key key
     * @param token token
     * @param lease lease
     * @param fencingFloor floor
     * @param fencingTokens number
     * @param waiting registration
     */
    public AcquireCommand(
            String key,
            LockToken token,
            Duration lease,
            long fencingFloor,
            int fencingTokens,
            Optional<Waiting> waiting) {
        this(key, token, lease, fencingFloor, fencingTokens, waiting, Duration.ZERO, 1, Optional.empty());
    }

    /**
     * {@return the same attempt with another registration}
     *
     * @param registration of the instance
     */
    public AcquireCommand with(Waiting registration) {
        return new AcquireCommand(
                key,
                token,
                lease,
                fencingFloor,
                fencingTokens,
                Optional.of(registration),
                minHold,
                permits,
                replaced,
                mode);
    }

    /** {@return whether it is for one of the slots of readers} */
    public boolean reads() {
        return mode == LockMode.READ;
    }

    /** {@return the slots that the store may grant} */
    public Slots slots() {
        return reads() ? Slots.OF_READERS : Slots.first(permits);
    }

    /** Hides the replaced token, which may have the lock. */
    @Override
    public String toString() {
        return "AcquireCommand[" + LockRequest.printable(key) + ", " + token + ", lease " + lease
                + (replaced.isPresent() ? ", replaces another token]" : "]");
    }

    /**
     * Registration of a waiting instance.
     *
     * @param position position from an earlier answer; {@link #NEW} for the end of the queue
     * @param patience minimum time for which the store keeps the registration; other waiters may prolong it
     */
    public record Waiting(long position, Duration patience) {

        /** No position yet. */
        public static final long NEW = 0;
    }
}
