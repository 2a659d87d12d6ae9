package io.github.lockstarter.demo.gallery.lock;

import io.lettuce.core.SetArgs;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;

/**
 * {@code SET NX PX} with a fixed value, and {@code DEL} to release.
 *
 * <p>Flaw: a holder that releases after its lease deletes the lock of the next holder, and a third caller acquires it.
 *
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
