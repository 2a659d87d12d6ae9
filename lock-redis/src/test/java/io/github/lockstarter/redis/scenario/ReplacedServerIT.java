package io.github.lockstarter.redis.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockBackendException;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.contract.Application;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.kit.net.TcpProxy;
import io.github.lockstarter.kit.redis.RedisCluster;
import io.github.lockstarter.kit.redis.RedisReplication;
import io.github.lockstarter.kit.redis.RedisSentinels;
import io.github.lockstarter.kit.redis.RedisServer;
import io.github.lockstarter.kit.redis.TopologyExtension;
import io.github.lockstarter.redis.RedisLockBackend;
import io.github.lockstarter.redis.connector.DirectRedisConnector;
import io.github.lockstarter.redis.connector.RedisConnector;
import io.github.lockstarter.redis.contract.RedisStore;
import io.github.lockstarter.redis.settings.RedisSettings;
import io.github.lockstarter.spi.LockBackend;
import io.github.lockstarter.testing.Effort;
import io.github.lockstarter.testing.WarmUp;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.internal.HostAndPort;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Locks work again, and are kept, when the open connections lead nowhere and nobody says so: a firewall has forgotten
 * them, the server behind them hangs and another one has replaced it, or it has become a replica. No takeover, and so
 * no heartbeat that notices it.
 */
@Timeout(300)
class ReplacedServerIT {

    @RegisterExtension
    static final TopologyExtension<RedisReplication> REPLICATION = TopologyExtension.replication();

    @RegisterExtension
    static final TopologyExtension<RedisCluster> CLUSTER = TopologyExtension.cluster();

    private static final Duration LEASE = Duration.ofSeconds(90);
    private static final Duration DEFAULT_TIMEOUT = RedisSettings.DEFAULTS.commandTimeout();
    private static final RedisSettings SETTINGS = RedisStore.guarding(Duration.ofSeconds(1), Duration.ofSeconds(1));

    private final String key = "replaced:" + UUID.randomUUID();
    private final Map<RedisServer, TcpProxy> proxies = new LinkedHashMap<>();
    private final Deque<AutoCloseable> resources = new ArrayDeque<>();

    enum Mode {
        SINGLE,
        STATIC_NODES,
        SENTINEL,
        CLUSTER
    }

    @AfterEach
    void close() throws Exception {
        while (!resources.isEmpty()) {
            resources.pop().close();
        }
    }

    @ParameterizedTest
    @EnumSource(names = "CLUSTER")
    void worksAgainAfterAllConnectionsWereForgotten(Mode mode) {
        Application application = application(mode);
        LockHandle held = application.locks().acquire(key);

        proxies.values().forEach(TcpProxy::forget);

        RedisScenario.assertWorksAgain(application, held, LEASE);
    }

    /** With the default command timeout, for callers at all masters. A client that only waits stays cut off. */
    @Test
    @Tag(Effort.TIMING)
    void worksAgainWithinTenSecondsAfterAllConnectionsToAClusterWereForgotten() throws Exception {
        RedisCluster cluster = CLUSTER.topology();
        Application application =
                application(Mode.CLUSTER, RedisStore.guarding(Duration.ofSeconds(1), DEFAULT_TIMEOUT));
        Map<RedisServer, String> keys = new LinkedHashMap<>();
        for (int i = 0; keys.size() < 3; i++) {
            keys.putIfAbsent(cluster.masterOf("lock:{" + i + "}"), String.valueOf(i));
        }
        keys.values().forEach(each -> application.locks().acquire(each).close());
        TcpProxy proxy = proxies.get(cluster.masterOf("lock:{0}"));
        RedisClient client = RedisClient.create(RedisURI.create(proxy.host(), proxy.port()));
        resources.push(client::shutdown);
        StatefulRedisConnection<String, String> control = client.connect();
        control.setTimeout(DEFAULT_TIMEOUT);
        control.sync().ping();
        ExecutorService callers = Executors.newFixedThreadPool(keys.size());
        resources.push(callers::shutdownNow);

        proxies.values().forEach(TcpProxy::forget);

        List<Callable<Duration>> calls = keys.values().stream()
                .map(each -> (Callable<Duration>) () -> timeUntilGranted(application, each))
                .toList();
        for (Future<Duration> time : callers.invokeAll(calls)) {
            assertThat(time.get()).isBetween(DEFAULT_TIMEOUT, Duration.ofSeconds(10));
        }
        assertThatExceptionOfType(RedisCommandTimeoutException.class)
                .as("the control")
                .isThrownBy(() -> control.sync().ping());
    }

    private static Duration timeUntilGranted(Application application, String key) {
        long before = System.nanoTime();
        await().atMost(Patience.TIME)
                .ignoreExceptionsInstanceOf(LockBackendException.class)
                .until(() -> application
                        .locks()
                        .tryAcquire(LockRequest.of(key).withoutWaiting())
                        .map(LockHandle::release)
                        .isPresent());
        return Duration.ofNanos(System.nanoTime() - before);
    }

    @ParameterizedTest
    @EnumSource(names = "STATIC_NODES")
    void worksAgainAfterTheServerHungAndWasReplaced(Mode mode) {
        Application application = application(mode);
        LockHandle held = application.locks().acquire(key);

        REPLICATION.topology().master().pause();
        promote(mode);

        RedisScenario.assertWorksAgain(application, held, LEASE);
    }

    @ParameterizedTest
    @EnumSource(names = "STATIC_NODES")
    void worksAgainAfterTheServerWasDemoted(Mode mode) {
        Application application = application(mode);
        LockHandle held = application.locks().acquire(key);

        if (mode == Mode.CLUSTER) {
            CLUSTER.topology()
                    .replicaOf(CLUSTER.topology().masterOf("lock:{" + key + "}"))
                    .commands()
                    .clusterFailover(false);
        } else {
            promote(mode);
            REPLICATION.topology().servers().get(0).follow(successor());
        }

        RedisScenario.assertWorksAgain(application, held, LEASE);
    }

    @Nested
    @Tag(Effort.FULL)
    class InOtherTopologies {

        @RegisterExtension
        static final TopologyExtension<RedisSentinels> SENTINELS = TopologyExtension.sentinels();

        @ParameterizedTest
        @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "CLUSTER")
        void worksAgainAfterAllConnectionsWereForgotten(Mode mode) {
            ReplacedServerIT.this.worksAgainAfterAllConnectionsWereForgotten(mode);
        }

        /** The other modes are in {@link SentinelFailoverIT} and {@link ClusterFaultsIT}. */
        @ParameterizedTest
        @EnumSource(names = "SINGLE")
        void worksAgainAfterTheServerHungAndWasReplaced(Mode mode) {
            ReplacedServerIT.this.worksAgainAfterTheServerHungAndWasReplaced(mode);
        }

        /** Sentinels cut the connections of a master that they demote. */
        @ParameterizedTest
        @EnumSource(names = {"SINGLE", "CLUSTER"})
        void worksAgainAfterTheServerWasDemoted(Mode mode) {
            ReplacedServerIT.this.worksAgainAfterTheServerWasDemoted(mode);
        }
    }

    private void promote(Mode mode) {
        successor().promote();
        if (mode == Mode.SINGLE) {
            proxies.get(REPLICATION.topology().servers().get(0)).retarget(successor());
        }
    }

    private static RedisServer successor() {
        return REPLICATION.topology().servers().get(1);
    }

    private Application application(Mode mode) {
        return application(mode, SETTINGS);
    }

    private Application application(Mode mode, RedisSettings settings) {
        Application application = resource(Application.over(
                backend(mode, settings), Application.settings(LEASE).withCrashTakeover(Duration.ZERO)));
        WarmUp.connect(application.locks(), "warm-up");
        return application;
    }

    private LockBackend backend(Mode mode, RedisSettings settings) {
        List<RedisServer> servers =
                switch (mode) {
                    case SINGLE -> REPLICATION.topology().servers().subList(0, 1);
                    case STATIC_NODES -> REPLICATION.topology().servers();
                    case SENTINEL -> InOtherTopologies.SENTINELS.topology().servers();
                    case CLUSTER -> CLUSTER.topology().servers();
                };
        servers.forEach(server -> proxies.put(server, resource(TcpProxy.before(server))));
        List<RedisURI> behind = proxies.values().stream()
                .map(proxy -> RedisURI.create(proxy.host(), proxy.port()))
                .toList();
        List<RedisURI> direct = servers.stream().map(RedisServer::uri).toList();
        return switch (mode) {
            case SINGLE -> over(new DirectRedisConnector(behind.get(0), settings), settings);
            case STATIC_NODES -> over(DirectRedisConnector.toMasterAmong(behind, settings), settings);
            case SENTINEL ->
                over(
                        new DirectRedisConnector(
                                InOtherTopologies.SENTINELS.topology().uri(), settings, this::route),
                        settings);
            case CLUSTER -> over(DirectRedisConnector.toCluster(direct, settings, this::route), settings);
        };
    }

    private LockBackend over(RedisConnector connector, RedisSettings settings) {
        return resource(new RedisLockBackend(connector, settings));
    }

    private HostAndPort route(HostAndPort server) {
        return proxies.entrySet().stream()
                .filter(each -> each.getKey().port() == server.getPort())
                .map(each ->
                        HostAndPort.of(each.getValue().host(), each.getValue().port()))
                .findFirst()
                .orElse(server);
    }

    private <T extends AutoCloseable> T resource(T opened) {
        resources.push(opened);
        return opened;
    }
}
