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
 * @param requeue present if callers of this instance go on waiting: if another instance is signalled, this one is
 *     registered behind all that wait, and its registration kept at least this long. If the lock is kept, this one is
 *     registered also where none is signalled
 * @param atLeast minimum time of the lock, zero if it has none: the store keeps the lock for the rest of it, in the
 *     same step. It begins with the grant, whose time the store noted with the lock if the attempt asked for a minimum
 *     time; else with an upper bound of that time. A time that is ahead of the store's clock counts as the present
 */
public record ReleaseCommand(
        String key, LockToken token, long fencingToken, Optional<Duration> requeue, Duration atLeast) {

    /**
     * A release of a lock that has no minimum time, which does not register this instance as a waiter.
     *
     * @param key the lock's key
     * @param token the owner's token
     * @param fencingToken the last of the fencing tokens that were granted to the token; 0 if not known
     */
    public ReleaseCommand(String key, LockToken token, long fencingToken) {
        this(key, token, fencingToken, Optional.empty(), Duration.ZERO);
    }
}
