package io.github.lockstarter.demo.gallery.lock;

import io.lettuce.core.api.sync.RedisCommands;

/**
 * {@code SETNX}, work, {@code DEL}.
 *
 * <p>Flaw: a holder that dies before {@code DEL} leaves the key forever, which blocks all callers.
 */
public record SetnxLock(RedisCommands<String, String> redis) implements BrokenLock {

    @Override
    public boolean tryAcquire(String key) {
        return redis.setnx(key, "locked");
    }

    @Override
    public void release(String key) {
        redis.del(key);
    }
}
