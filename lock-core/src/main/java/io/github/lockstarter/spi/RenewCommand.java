package io.github.lockstarter.spi;

import java.time.Duration;

/**
 * One renewal.
 *
 * <p>A store that forgets the fencing token of a lock some time after its grant keeps it while the lock is held: {@code
 * held} says when it has to be written again.
 *
 * @param key the lock's key
 * @param token the owner's token
 * @param lease the lease must end no earlier than this from now; an already longer one is left
 * @param fencingToken the last of the fencing tokens that were granted to the token
 * @param held how long ago the token was granted the lock; zero if the caller does not know
 */
public record RenewCommand(String key, LockToken token, Duration lease, long fencingToken, Duration held) {

    /**
     * A renewal of a lock that has been held for an unknown time.
     *
     * @param key the lock's key
     * @param token the owner's token
     * @param lease the lease must end no earlier than this from now
     * @param fencingToken the last of the fencing tokens that were granted to the token
     */
    public RenewCommand(String key, LockToken token, Duration lease, long fencingToken) {
        this(key, token, lease, fencingToken, Duration.ZERO);
    }
}
