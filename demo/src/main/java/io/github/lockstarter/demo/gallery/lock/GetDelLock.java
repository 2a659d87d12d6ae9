package io.github.lockstarter.demo.gallery.lock;

import io.lettuce.core.SetArgs;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;

/**
 * {@code SET NX PX} with a unique value per grant; the release compares the value and deletes the key.
 *
 * <p>Flaw: {@code GET} and {@code DEL} are two steps. If the lease ends between them, {@code DEL} deletes the lock of
 * the next holder.
 *
 * @param token unique value of the grant
 * @param breakpoint runs between the two steps
 */
public record GetDelLock(RedisCommands<String, String> redis, Duration lease, String token, Runnable breakpoint)
        implements BrokenLock {

    @Override
    public boolean tryAcquire(String key) {
        return redis.set(key, token, SetArgs.Builder.nx().px(lease)) != null;
    }

    @Override
    public void release(String key) {
        if (token.equals(redis.get(key))) {
            breakpoint.run();
            redis.del(key);
        }
    }
}
