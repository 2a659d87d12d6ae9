package io.github.lockstarter.demo.gallery.lock;

import io.lettuce.core.api.sync.RedisCommands;

/**
 * The first lock of every tutorial: {@code SETNX}, work, {@code DEL}.
 *
 * <p>Flaw: a holder that dies before its {@code DEL} leaves the key for ever, and nobody gets the lock again.
 *
 * @param redis where it is
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
