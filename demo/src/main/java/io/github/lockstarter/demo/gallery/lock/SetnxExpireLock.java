package io.github.lockstarter.demo.gallery.lock;

import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;

/**
 * {@code SETNX}, then {@code EXPIRE}, as before Redis 2.6.12 introduced {@code SET NX PX}.
 *
 * <p>Flaw: a holder that dies between the two commands leaves a key without an expiry, which blocks all callers.
 *
 * @param breakpoint runs between the two commands
 */
public record SetnxExpireLock(RedisCommands<String, String> redis, Duration lease, Runnable breakpoint)
        implements BrokenLock {

    @Override
    public boolean tryAcquire(String key) {
        if (!redis.setnx(key, "locked")) {
            return false;
        }
        breakpoint.run();
        return redis.pexpire(key, lease.toMillis());
    }

    @Override
    public void release(String key) {
        redis.del(key);
    }
}
