package io.github.lockstarter.spi;

import java.time.Duration;
import java.util.Optional;

/**
 * One release.
 *
 * @param key the lock's key
 * @param token the owner's token
 * @param fencingToken the last of the fencing tokens that were granted to the token; 0 for an attempt that was never
 *     known to be granted
 * @param requeue present if callers of this instance go on waiting: if another instance is signalled, this one is
 *     registered behind all that wait, and its registration kept at least this long. If the lock is kept, this one is
 *     registered also where none is signalled
 * @param keep present if the lock has a minimum time: the store keeps the lock for the rest of it, in the same step
 */
public record ReleaseCommand(
        String key, LockToken token, long fencingToken, Optional<Duration> requeue, Optional<Keep> keep) {

    /**
     * A release of a lock that has no minimum time, which does not register this instance as a waiter.
     *
     * @param key the lock's key
     * @param token the owner's token
     * @param fencingToken the last of the fencing tokens that were granted to the token; 0 if not known
     */
    public ReleaseCommand(String key, LockToken token, long fencingToken) {
        this(key, token, fencingToken, Optional.empty(), Optional.empty());
    }

    /**
     * The minimum time of a lock. While it lasts, by the store's clock, the released lock has no owner and is granted
     * to none.
     *
     * @param atLeast how long it lasts from the grant on
     * @param grantTime as in the answer to the attempt; if empty, the store counts from the time that it knows: where
     *     it knows none, from an upper bound of the time of the grant, which it derives from the fencing token. A time
     *     that is ahead of the store's clock counts as the present
     */
    public record Keep(Duration atLeast, Optional<GrantTime> grantTime) {}
}
