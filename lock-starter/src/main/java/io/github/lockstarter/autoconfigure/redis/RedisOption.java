package io.github.lockstarter.autoconfigure.redis;

import io.github.lockstarter.autoconfigure.LockBackendOption;
import io.github.lockstarter.autoconfigure.LockSettings;

/**
 * Locks in one Redis.
 *
 * @param properties its configuration
 */
record RedisOption(RedisLockProperties properties) implements LockBackendOption {

    static final String NAME = "redis";

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public void checkConfiguration(LockSettings locks) {
        properties.settings(locks);
    }
}
