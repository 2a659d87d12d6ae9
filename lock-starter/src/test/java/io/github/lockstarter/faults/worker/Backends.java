package io.github.lockstarter.faults.worker;

import io.github.lockstarter.redis.DirectRedisConnector;
import io.github.lockstarter.redis.RedisLockBackend;
import io.github.lockstarter.redis.RedisSettings;
import io.github.lockstarter.spi.LockBackend;
import io.lettuce.core.RedisURI;
import java.time.Duration;

/** Connects to what a topology gives as its address. */
final class Backends {

    /** Short, so that a fault of a second is more than one timeout. */
    static final RedisSettings SETTINGS = new RedisSettings("lock:", Duration.ofMillis(600));

    private Backends() {}

    static LockBackend connect(String address) {
        String[] parts = address.split(":", -1);
        return switch (parts[0]) {
            case "redis" -> standalone(parts[1], Integer.parseInt(parts[2]));
            default -> throw new IllegalArgumentException("No backend for " + address);
        };
    }

    private static LockBackend standalone(String host, int port) {
        RedisURI uri = RedisURI.create(host, port);
        return new RedisLockBackend(new DirectRedisConnector(uri, SETTINGS), SETTINGS);
    }
}
