package io.github.lockstarter.faults.worker;

import io.github.lockstarter.redis.DirectRedisConnector;
import io.github.lockstarter.redis.RedisConnector;
import io.github.lockstarter.redis.RedisLockBackend;
import io.github.lockstarter.redis.RedisSettings;
import io.github.lockstarter.spi.LockBackend;
import io.github.lockstarter.testing.RedisSentinels;
import io.lettuce.core.RedisURI;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/** Connects to what a topology gives as its address. */
final class Backends {

    /** Short, so that a fault of a second is more than one timeout. */
    static final RedisSettings SETTINGS = new RedisSettings("lock:", Duration.ofMillis(600), RedisSettings.History.guarding(Duration.ofSeconds(6)));

    private Backends() {}

    static LockBackend connect(String address) {
        int colon = address.indexOf(':');
        String where = address.substring(colon + 1);
        return new RedisLockBackend(connector(address.substring(0, colon), where), SETTINGS);
    }

    private static RedisConnector connector(String topology, String where) {
        return switch (topology) {
            case "redis" -> new DirectRedisConnector(RedisURI.create("redis://" + where), SETTINGS);
            case "sentinel" -> new DirectRedisConnector(sentinels(where), SETTINGS);
            case "cluster" -> DirectRedisConnector.toCluster(nodes(where), SETTINGS);
            default -> throw new IllegalArgumentException("No connector for " + topology);
        };
    }

    private static RedisURI sentinels(String where) {
        RedisURI.Builder uri = RedisURI.builder().withSentinelMasterId(RedisSentinels.MASTER);
        nodes(where).forEach(sentinel -> uri.withSentinel(sentinel.getHost(), sentinel.getPort()));
        return uri.build();
    }

    private static List<RedisURI> nodes(String where) {
        return Stream.of(where.split(",", -1))
                .map(node -> RedisURI.create("redis://" + node))
                .toList();
    }
}
