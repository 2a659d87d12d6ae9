package io.github.lockstarter.spi;

import java.time.Duration;
import java.util.Optional;

/**
 * One attempt to get a lock.
 *
 * @param key the lock's key
 * @param token unique to this attempt
 * @param lease how long the lock is to live without renewal; at least 1 ms
 * @param fencingFloor the granted fencing token must be greater than this
 * @param waiting present if the caller waits when the lock is busy
 */
public record AcquireCommand(
        String key, LockToken token, Duration lease, long fencingFloor, Optional<Waiting> waiting) {

    /**
     * The registration of a waiting instance.
     *
     * @param position the position an earlier attempt was given; {@link #NEW} for the end of the queue
     * @param patience how long the registration is kept at least; other waiters may keep it longer
     */
    public record Waiting(long position, Duration patience) {

        /** No position yet. */
        public static final long NEW = 0;
    }
}
