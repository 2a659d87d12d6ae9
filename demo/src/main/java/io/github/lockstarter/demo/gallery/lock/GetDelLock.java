package io.github.lockstarter.demo.gallery.lock;

import io.lettuce.core.SetArgs;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.UUID;

/**
 * {@code SET NX PX} with a value of its own for each grant; the release looks whether the value is still there, and
 * deletes it.
 *
 * <p>Flaw: {@code GET} and {@code DEL} are two steps. If the lease ends between them, the {@code DEL} frees the lock of
 * the next holder.
 */
public final class GetDelLock implements BrokenLock {

    private final RedisCommands<String, String> redis;
    private final Duration lease;
    private final Runnable breakpoint;
    private String token = "";

    /**
     * A lock.
     *
     * @param redis where it is
     * @param lease when it expires
     * @param breakpoint runs between the two steps
     */
    public GetDelLock(RedisCommands<String, String> redis, Duration lease, Runnable breakpoint) {
        this.redis = redis;
        this.lease = lease;
        this.breakpoint = breakpoint;
    }

    @Override
    public boolean tryAcquire(String key) {
        token = UUID.randomUUID().toString();
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
