package io.github.lockstarter.benchmarks.client;

import com.zaxxer.hikari.HikariDataSource;
import io.github.lockstarter.LockMode;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockTemplate;
import io.github.lockstarter.LockTerms;
import io.github.lockstarter.engine.LockEngine;
import io.github.lockstarter.engine.settings.EngineClock;
import io.github.lockstarter.engine.settings.EngineSettings;
import io.github.lockstarter.etcd.EtcdLockBackend;
import io.github.lockstarter.etcd.EtcdSettings;
import io.github.lockstarter.jdbc.JdbcDialect;
import io.github.lockstarter.jdbc.JdbcLockBackend;
import io.github.lockstarter.jdbc.JdbcSettings;
import io.github.lockstarter.jdbc.LockTable;
import io.github.lockstarter.redis.RedisLockBackend;
import io.github.lockstarter.redis.settings.RedisSettings;
import io.github.lockstarter.spi.LockBackend;
import io.github.lockstarter.zookeeper.ZooKeeperLockBackend;
import io.github.lockstarter.zookeeper.ZooKeeperLockSettings;
import io.lettuce.core.RedisURI;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.curator.framework.CuratorFramework;

/** The starter with its default configuration and a lease of 30 s. */
final class StarterClient implements LockClient {

    private static final String KEY_PREFIX = "lock:";

    private static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(2);

    private final LockBackend backend;
    private final LockEngine engine;
    private final LockTemplate locks;
    private final Runnable afterwards;

    /** Called by reflection in the earlier version. */
    StarterClient(RedisURI uri) {
        this(redisBackend(uri), EngineSettings.DEFAULTS.lease(), () -> {});
    }

    private StarterClient(LockBackend backend, Duration lease, Runnable afterwards) {
        this.backend = backend;
        this.engine = new LockEngine(backend, withLease(lease), List.of(), EngineClock.SYSTEM);
        this.locks = new LockTemplate(engine);
        this.afterwards = afterwards;
    }

    static StarterClient onRedis(RedisURI uri, Duration lease) {
        return new StarterClient(redisBackend(uri), lease, () -> {});
    }

    private static LockBackend redisBackend(RedisURI uri) {
        RedisSettings settings = RedisSettings.DEFAULTS;
        RedisLockBackend backend = new RedisLockBackend(PlainRedisConnector.of(uri, settings), settings);
        backend.start();
        return backend;
    }

    static StarterClient onPostgres(String url, Duration lease) {
        HikariDataSource pool = PostgresPool.open(url, LockTable.DEFAULT.name(), JdbcDialect.POSTGRESQL.script());
        JdbcLockBackend backend = new JdbcLockBackend(pool, JdbcSettings.of(KEY_PREFIX));
        backend.start();
        return new StarterClient(backend, lease, pool::close);
    }

    /** The lease is also the session timeout, which decides after a crash. */
    static StarterClient onZooKeeper(String servers, Duration lease) {
        CuratorFramework curator = CuratorClient.connect(servers, lease);
        ZooKeeperLockSettings settings =
                new ZooKeeperLockSettings("/lock-starter/locks", KEY_PREFIX, COMMAND_TIMEOUT, lease);
        ZooKeeperLockBackend backend = new ZooKeeperLockBackend(curator, settings, curator::close);
        backend.connect(COMMAND_TIMEOUT.multipliedBy(5)).ifPresent(problem -> {
            throw new IllegalStateException(problem);
        });
        return new StarterClient(backend, lease, () -> {});
    }

    static StarterClient onEtcd(String endpoint, Duration lease) {
        List<URI> endpoints = List.of(EtcdSettings.endpoint(endpoint));
        EtcdSettings settings =
                new EtcdSettings(KEY_PREFIX, endpoints, Optional.empty(), Optional.empty(), COMMAND_TIMEOUT);
        return new StarterClient(new EtcdLockBackend(settings), lease, () -> {});
    }

    @Override
    public Hold acquire(String key, Duration wait) {
        return locks.acquire(LockRequest.of(key).maxWait(wait))::close;
    }

    @Override
    public Hold acquire(String key, LockMode mode, Duration wait) {
        return locks.acquire(LockRequest.of(key).maxWait(wait).mode(mode))::close;
    }

    private static EngineSettings withLease(Duration lease) {
        EngineSettings usual = EngineSettings.DEFAULTS;
        return new EngineSettings(
                LockTerms.NONE.lease(lease),
                usual.maxLease(),
                usual.maxRetryDelay(),
                usual.handover(),
                usual.shownPlace(),
                usual.warnAfter(),
                Map.of());
    }

    @Override
    public void close() {
        engine.close();
        backend.close();
        afterwards.run();
    }
}
