package io.github.lockstarter.autoconfigure.redis;

import io.github.lockstarter.autoconfigure.testing.PropertyMetadataSuite;

class PropertyMetadataTests extends PropertyMetadataSuite {

    PropertyMetadataTests() {
        super(
                RedisLockProperties.class,
                "distributed-lock.redis.grace-period",
                "distributed-lock.redlock.nodes",
                "distributed-lock.redlock.password",
                "distributed-lock.redlock.ssl-bundle",
                "distributed-lock.redlock.username");
    }
}
