package io.github.lockstarter.demo.gallery.lock;

import io.lettuce.core.api.sync.RedisCommands;

/**
 * The first lock of every tutorial: {@code SETNX}, work, {@code DEL}.
 *
 * <p>Flaw: a holder that dies before its {@code DEL} leaves the key for ever, and nobody gets the lock again.
 */
public final class SetnxLock implements BrokenLock {

    private final RedisCommands<String, String> redis;

    /**
     * A lock.
     *
     * @param redis where it is
     */
    public SetnxLock(RedisCommands<String, String> redis) {
        this.redis = redis;
    }

    @Override
    public boolean tryAcquire(String key) {
        return redis.setnx(key, "locked");
    }

    @Override
    public void release(String key) {
        redis.del(key);
    }
}
