package io.github.lockstarter.contract;

import io.github.lockstarter.redis.DirectRedisConnector;
import io.github.lockstarter.redis.RedisConnector;
import io.github.lockstarter.redis.RedisLockBackend;
import io.github.lockstarter.redis.RedisSettings;
import io.github.lockstarter.spi.LockBackend;
import io.github.lockstarter.testing.RedisCluster;
import io.github.lockstarter.testing.RedisReplication;
import io.github.lockstarter.testing.RedisSentinels;
import io.github.lockstarter.testing.RedisServer;
import io.github.lockstarter.testing.RedisTopology;
import io.github.lockstarter.testing.TcpProxy;
import io.lettuce.core.RedisURI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** Redis, on one server or several: each application has connections of its own. */
final class RedisStore implements LockStore {

    /** Short, so that a test can sit through it. */
    static final RedisSettings SETTINGS = new RedisSettings("lock:", Duration.ofMillis(600));

    private final Supplier<RedisConnector> connectors;
    private final List<LockBackend> backends = new ArrayList<>();

    private RedisStore(Supplier<RedisConnector> connectors) {
        this.connectors = connectors;
    }

    /** One server, or the master that sentinels name. */
    RedisStore(RedisURI uri) {
        this(() -> new DirectRedisConnector(RedisURI.builder(uri).build(), SETTINGS));
    }

    static RedisStore behind(TcpProxy proxy) {
        return new RedisStore(RedisURI.create(proxy.host(), proxy.port()));
    }

    static RedisStore of(RedisSentinels servers) {
        return new RedisStore(() -> new DirectRedisConnector(servers.uri(), SETTINGS));
    }

    static RedisStore of(RedisReplication servers) {
        return new RedisStore(() -> DirectRedisConnector.toMasterAmong(urisOf(servers), SETTINGS));
    }

    static RedisStore of(RedisCluster nodes) {
        return new RedisStore(() -> DirectRedisConnector.toCluster(urisOf(nodes), SETTINGS));
    }

    private static List<RedisURI> urisOf(RedisTopology topology) {
        return topology.servers().stream().map(RedisServer::uri).toList();
    }

    @Override
    public LockBackend connect() {
        RedisLockBackend backend = new RedisLockBackend(connectors.get(), SETTINGS);
        backends.add(backend);
        return backend;
    }

    @Override
    public void close() {
        backends.forEach(LockBackend::close);
    }
}
