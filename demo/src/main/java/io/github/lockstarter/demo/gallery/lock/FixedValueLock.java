package io.github.lockstarter.demo.gallery.lock;

import io.lettuce.core.SetArgs;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;

/**
 * {@code SET NX PX} in one step, with the same value for everybody, and {@code DEL} at the release.
 *
 * <p>Flaw: a holder whose lease is over by its release deletes the lock of the next one, and a third one gets it.
 */
public final class FixedValueLock implements BrokenLock {

    private final RedisCommands<String, String> redis;
    private final Duration lease;
    private final Runnable breakpoint;

    /**
     * A lock.
     *
     * @param redis where it is
     * @param lease when it expires
     * @param breakpoint runs before the release
     */
    public FixedValueLock(RedisCommands<String, String> redis, Duration lease, Runnable breakpoint) {
        this.redis = redis;
        this.lease = lease;
        this.breakpoint = breakpoint;
    }

    @Override
    public boolean tryAcquire(String key) {
        return redis.set(key, "locked", SetArgs.Builder.nx().px(lease)) != null;
    }

    @Override
    public void release(String key) {
        breakpoint.run();
        redis.del(key);
    }
}
