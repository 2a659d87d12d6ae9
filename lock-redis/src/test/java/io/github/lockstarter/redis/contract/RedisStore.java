package io.github.lockstarter.redis.contract;

import io.github.lockstarter.contract.LockStore;
import io.github.lockstarter.kit.net.TcpProxy;
import io.github.lockstarter.kit.redis.RedisCluster;
import io.github.lockstarter.kit.redis.RedisReplication;
import io.github.lockstarter.kit.redis.RedisSentinels;
import io.github.lockstarter.kit.redis.RedisServer;
import io.github.lockstarter.kit.redis.RedisServerGroup;
import io.github.lockstarter.redis.RedisLockBackend;
import io.github.lockstarter.redis.connector.DirectRedisConnector;
import io.github.lockstarter.redis.connector.RedisConnector;
import io.github.lockstarter.redis.settings.RedisSettings;
import io.github.lockstarter.spi.LockBackend;
import io.github.lockstarter.testing.SettableClock;
import io.lettuce.core.RedisURI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** Redis, on one server or several: each application has connections of its own. */
public final class RedisStore implements LockStore {

    /** Waits for each answer far longer than a busy machine takes. */
    public static final RedisSettings SETTINGS = guarding(Duration.ofSeconds(2));

    /** As an application has it that configures nothing but this timeout. */
    public static final RedisSettings DEFAULTS =
            guarding(RedisSettings.DEFAULTS.guard().gracePeriod());

    /** For tests about the end of the command timeout, which they wait for. */
    public static final RedisSettings HASTY = hasty(Duration.ofSeconds(2));

    /**
     * For servers that other tests have promoted and that have lost their histories: to new clients they seem to have
     * lost locks.
     */
    public static final RedisSettings WITHOUT_GRACE = guarding(Duration.ZERO);

    private final Function<RedisSettings, RedisConnector> connectors;
    private final RedisSettings settings;
    private final List<RedisServer> servers;
    private final Optional<SettableClock> clock;
    private final List<RedisLockBackend> backends = new ArrayList<>();

    private RedisStore(
            Function<RedisSettings, RedisConnector> connectors, RedisSettings settings, List<RedisServer> servers) {
        this(connectors, settings, servers, Optional.empty());
    }

    private RedisStore(
            Function<RedisSettings, RedisConnector> connectors,
            RedisSettings settings,
            List<RedisServer> servers,
            Optional<SettableClock> clock) {
        this.connectors = connectors;
        this.settings = settings;
        this.servers = servers;
        this.clock = clock;
    }

    /** One server, or the master that sentinels name, which this store cannot pause. */
    public RedisStore(RedisURI uri) {
        this(uri, List.of());
    }

    private RedisStore(RedisURI uri, List<RedisServer> servers) {
        this(its -> new DirectRedisConnector(RedisURI.builder(uri).build(), its), SETTINGS, servers);
    }

    /** One server, whose clock a test can set where that works; its time is right again when the store is closed. */
    public static RedisStore withClockOf(RedisServer server) {
        RedisStore usual = on(server);
        return RedisServer.canSetClock()
                ? new RedisStore(
                        usual.connectors,
                        usual.settings,
                        usual.servers,
                        Optional.of(SettableClock.ofThisMachine(server::setClock)))
                : usual;
    }

    /** One server, which this store can pause. */
    public static RedisStore on(RedisServer server) {
        return new RedisStore(server.uri(), List.of(server));
    }

    /** The guard for leases up to this length. */
    public static RedisSettings guarding(Duration longestLease) {
        return guarding(longestLease, Duration.ofSeconds(20));
    }

    /** The same, with a command timeout that a test can wait for. */
    public static RedisSettings hasty(Duration longestLease) {
        return guarding(longestLease, Duration.ofMillis(600));
    }

    /** The guard for leases up to this length, with another command timeout. */
    public static RedisSettings guarding(Duration longestLease, Duration commandTimeout) {
        return new RedisSettings("lock:", commandTimeout, RedisSettings.HistoryGuard.of(longestLease));
    }

    /** The same servers, used otherwise. */
    public RedisStore with(RedisSettings others) {
        return new RedisStore(connectors, others, servers, clock);
    }

    /** A node with all slots of a cluster, addressed as one server: as an address of shards. */
    public static RedisStore ofShards(RedisServer node) {
        node.serveAllSlots();
        return on(node);
    }

    public static RedisStore behind(TcpProxy proxy) {
        return new RedisStore(RedisURI.create(proxy.host(), proxy.port()));
    }

    public static RedisStore of(RedisSentinels servers) {
        return new RedisStore(its -> new DirectRedisConnector(servers.uri(), its), WITHOUT_GRACE, servers.servers());
    }

    public static RedisStore of(RedisReplication servers) {
        return new RedisStore(
                its -> DirectRedisConnector.toMasterAmong(urisOf(servers), its), WITHOUT_GRACE, servers.servers());
    }

    public static RedisStore of(RedisCluster nodes) {
        return new RedisStore(
                its -> DirectRedisConnector.toCluster(urisOf(nodes), its), WITHOUT_GRACE, nodes.servers());
    }

    private static List<RedisURI> urisOf(RedisServerGroup topology) {
        return topology.servers().stream().map(RedisServer::uri).toList();
    }

    @Override
    public LockBackend connect() {
        RedisLockBackend backend = new RedisLockBackend(connectors.apply(settings), settings);
        backends.add(backend);
        return backend;
    }

    /** Checks the servers, as an application does when it starts. */
    public void start() {
        backends.forEach(RedisLockBackend::start);
    }

    @Override
    public Optional<Duration> commandTimeout() {
        return servers.isEmpty() ? Optional.empty() : Optional.of(settings.commandTimeout());
    }

    @Override
    public Optional<SettableClock> clock() {
        return clock;
    }

    @Override
    public void pause() {
        servers.forEach(RedisServer::pause);
    }

    @Override
    public void resume() {
        servers.forEach(RedisServer::resume);
    }

    @Override
    public void close() {
        backends.forEach(RedisLockBackend::close);
        if (clock.isPresent()) {
            servers.forEach(server -> server.setClock(Duration.ZERO));
        }
    }
}
