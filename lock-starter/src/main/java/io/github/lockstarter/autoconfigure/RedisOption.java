package io.github.lockstarter.autoconfigure;

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
    public void checkConfiguration(DistributedLockProperties locks) {
        properties.settings(locks);
    }
}
