package io.github.lockstarter.demo.gallery.lock;

import io.lettuce.core.SetArgs;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;

/**
 * {@code SET NX PX} in one step, with the same value for everybody, and {@code DEL} at the release.
 *
 * <p>Flaw: a holder whose lease is over by its release deletes the lock of the next one, and a third one gets it.
 *
 * @param redis where it is
 * @param lease when it expires
 * @param breakpoint runs before the release
 */
public record FixedValueLock(RedisCommands<String, String> redis, Duration lease, Runnable breakpoint)
        implements BrokenLock {

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
