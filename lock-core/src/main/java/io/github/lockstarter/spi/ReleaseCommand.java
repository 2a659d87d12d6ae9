package io.github.lockstarter.spi;

import java.time.Duration;
import java.util.Optional;

/**
 * One release. While a minimum time lasts, by the store's clock, the released lock has no owner and is granted to none.
 *
 * @param key the lock's key
 * @param token the owner's token
 * @param fencingToken the last of the fencing tokens that were granted to the token; 0 for an attempt that was never
 *     known to be granted
 * @param ownWait whether callers of this instance go on waiting for the lock
 * @param atLeast minimum time of the lock, zero if it has none: the store keeps the lock for the rest of it, in the
 *     same step. It begins with the grant, whose time the store noted with the lock if the attempt asked for a minimum
 *     time; else with an upper bound of that time. A time that is ahead of the store's clock counts as the present
 * @param slots the one that the token has; or all in which it may be, if it is not known whether it was granted any
 */
public record ReleaseCommand(
        String key, LockToken token, long fencingToken, Wait ownWait, Duration atLeast, Slots slots) {

    /** The wait of the instance that releases. */
    public sealed interface Wait {

        /** The instance keeps the place that it has in the queue, if it has one. */
        Wait UNCHANGED = new Unchanged();

        /** No caller of the instance waits any more: it leaves the queue. */
        Wait ENDS = new Ends();

        /** See {@link #UNCHANGED}. */
        record Unchanged() implements Wait {}

        /** See {@link #ENDS}. */
        record Ends() implements Wait {}

        /**
         * Callers of the instance go on waiting: if another instance is signalled, this one is registered behind all
         * that wait. If the lock is kept, it is registered even where none is signalled.
         *
         * @param patience how long the registration is kept at least
         */
        record GoesOn(Duration patience) implements Wait {}
    }

    /**
     * A release of a lock that has one permit and no minimum time, which leaves the wait of this instance as it is.
     *
     * @param key the lock's key
     * @param token the owner's token
     * @param fencingToken the last of the fencing tokens that were granted to the token; 0 if not known
     */
    public ReleaseCommand(String key, LockToken token, long fencingToken) {
        this(key, token, fencingToken, Wait.UNCHANGED, Duration.ZERO, Slots.ONLY);
    }

    /**
     * The end of a wait, without a hold.
     *
     * @param key the lock's key
     * @param token the token of the attempt under way, which may have been granted meanwhile; a new one if there is
     *     none
     * @return its release
     */
    public static ReleaseCommand endOfWait(String key, LockToken token) {
        return new ReleaseCommand(key, token, 0, Wait.ENDS, Duration.ZERO, Slots.ONLY);
    }

    /**
     * Whether the instance leaves the queue.
     *
     * @return true for {@link Wait#ENDS}
     */
    public boolean endsWait() {
        return ownWait instanceof Wait.Ends;
    }

    /**
     * Whether the instance requests a new place in the queue.
     *
     * @return the patience of {@link Wait.GoesOn}; empty otherwise
     */
    public Optional<Duration> requeue() {
        return ownWait instanceof Wait.GoesOn goesOn ? Optional.of(goesOn.patience()) : Optional.empty();
    }
}
