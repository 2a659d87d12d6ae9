package io.github.lockstarter.demo.gallery.lock;

import io.lettuce.core.SetArgs;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;

/**
 * {@code SET NX PX} with a value of its own for each grant; the release looks whether the value is still there, and
 * deletes it.
 *
 * <p>Flaw: {@code GET} and {@code DEL} are two steps. If the lease ends between them, the {@code DEL} frees the lock of
 * the next holder.
 *
 * @param redis where it is
 * @param lease when it expires
 * @param token value of the grant, another one each time
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
