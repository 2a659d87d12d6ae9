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
 *     registered behind all that wait, and its registration kept at least this long
 */
public record ReleaseCommand(String key, LockToken token, long fencingToken, Optional<Duration> requeue) {

    /**
     * A release that does not register this instance as a waiter.
     *
     * @param key the lock's key
     * @param token the owner's token
     * @param fencingToken the last of the fencing tokens that were granted to the token; 0 if not known
     */
    public ReleaseCommand(String key, LockToken token, long fencingToken) {
        this(key, token, fencingToken, Optional.empty());
    }
}
