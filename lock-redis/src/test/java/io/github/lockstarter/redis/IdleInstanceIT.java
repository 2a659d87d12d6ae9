package io.github.lockstarter.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.kit.redis.RedisCluster;
import io.github.lockstarter.kit.redis.RedisServer;
import io.github.lockstarter.kit.redis.TopologyExtension;
import io.github.lockstarter.redis.connection.RedisConnections;
import io.github.lockstarter.redis.connector.DirectRedisConnector;
import io.github.lockstarter.redis.connector.RedisConnector;
import io.github.lockstarter.redis.contract.RedisStore;
import io.github.lockstarter.redis.settings.RedisSettings;
import io.github.lockstarter.redis.settings.RedisSettings.Durability;
import io.github.lockstarter.redis.settings.RedisSettings.FirstUse;
import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.LockToken;
import io.lettuce.core.RedisException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** An instance without heartbeats checks the history of its server although it uses no lock. */
@Timeout(300)
class IdleInstanceIT {

    @RegisterExtension
    static final TopologyExtension<RedisCluster> CLUSTER = TopologyExtension.cluster();

    private static final Duration PULSE = Duration.ofMillis(100);
    private static final LockToken TOKEN = BackendUser.token("a", 1);

    /** With {@code GRACE}, as a node of a quorum. The end of the grace period, not of the time without renewals. */
    @ParameterizedTest
    @EnumSource
    void beginsTheGracePeriodOfARestartedServer(FirstUse firstUse) {
        Duration grace = Duration.ofMinutes(10);
        Duration quiet = Duration.ofMinutes(2);
        RedisSettings settings = new RedisSettings(
                "lock:", RedisStore.DEFAULTS.commandTimeout(), new RedisSettings.HistoryGuard(grace, firstUse, quiet));
        try (RedisServer server = RedisServer.start();
                RedisLockBackend backend = backend(new DirectRedisConnector(server.uri(), settings), settings)) {
            BackendUser.answer(backend.attemptAcquire(command(BackendUser.KEY)));

            server.kill();
            server.restart();

            awaitGrace(() -> server, "lock:history");
            await().atMost(Patience.TIME).untilAsserted(() -> assertThat(
                            BackendUser.answer(backend.state()).recovering())
                    .isBetween(grace, grace.plus(quiet)));
        }
    }

    @Test
    void beginsTheGracePeriodOfAllUsedSlotsOfARestartedClusterNode() {
        RedisServer node = CLUSTER.topology().masterOf("lock:{0}");
        List<String> keys = IntStream.range(0, 100)
                .mapToObj(String::valueOf)
                .filter(key -> CLUSTER.topology().masterOf("lock:{" + key + "}") == node)
                .limit(3)
                .toList();
        try (RedisLockBackend backend = backend(cluster(), RedisStore.DEFAULTS)) {
            assertThat(keys)
                    .extracting(key -> BackendUser.answer(backend.attemptAcquire(command(key))))
                    .hasSize(3)
                    // the second if an earlier test had the node promoted
                    .hasOnlyElementsOfTypes(AcquireResult.Granted.class, AcquireResult.Recovering.class);

            node.kill();
            node.restart();

            keys.forEach(key ->
                    awaitGrace(() -> CLUSTER.topology().masterOf("lock:{" + key + "}"), "lock:history:{" + key + "}"));
        }
    }

    @Test
    void beginsTheGracePeriodOfAllUsedSlotsOfARestartedShard() {
        List<String> keys = List.of("0", "1", "2");
        try (RedisServer shard = RedisServer.start("--cluster-enabled", "yes")) {
            shard.serveAllSlots();
            RedisConnector connector = new DirectRedisConnector(shard.uri(), RedisStore.DEFAULTS);
            try (RedisLockBackend backend = backend(connector, RedisStore.DEFAULTS)) {
                assertThat(keys)
                        .extracting(key -> BackendUser.answer(backend.attemptAcquire(command(key))))
                        .hasOnlyElementsOfType(AcquireResult.Granted.class);

                shard.kill();
                shard.restart();

                keys.forEach(key -> awaitGrace(() -> shard, "lock:history:{" + key + "}"));
            }
        }
    }

    /** Names of histories do not show them: the pulse compares each slot. */
    @Test
    void beginsTheGracePeriodOfAllUsedSlotsOfADurableClusterNodeThatLostItsData() {
        RedisSettings.HistoryGuard guard = new RedisSettings.HistoryGuard(
                Duration.ofMinutes(10), FirstUse.GRANT, Duration.ZERO, Durability.DECLARED);
        RedisSettings settings = new RedisSettings("durable:", RedisStore.DEFAULTS.commandTimeout(), guard);
        try (RedisLockBackend backend = backend(cluster(settings), settings)) {
            IntStream.range(0, 20).mapToObj(String::valueOf).forEach(key -> assertThat(
                            BackendUser.answer(backend.attemptAcquire(command(key))))
                    .isInstanceOf(AcquireResult.Granted.class));
            RedisServer node = CLUSTER.topology().masterOf("durable:{0}");
            List<String> markers = node.commands().keys("durable:history:{*}");
            assertThat(markers).hasSizeGreaterThan(1);

            node.commands().flushall();

            await().atMost(Patience.TIME).untilAsserted(() -> assertThat(markers)
                    .extracting(marker -> node.commands().get(marker))
                    .allSatisfy(marker -> assertThat(marker).endsWith(":grace")));
        }
    }

    /** No command opens the connection to it, because the instance sends none. */
    @Test
    void beginsTheGracePeriodOfAPromotedClusterNode() {
        RedisServer node = CLUSTER.topology().masterOf("lock:{0}");
        RedisServer replica = CLUSTER.topology().replicaOf(node);
        try (RedisLockBackend backend = backend(cluster(), RedisStore.DEFAULTS)) {
            BackendUser.answer(backend.attemptAcquire(command("0")));

            node.kill();

            await().atMost(Patience.TIME).until(replica::isMaster);
            awaitGrace(() -> replica, "lock:history:{0}");
        }
    }

    /** Opening the connection again fails as long as both report the role of the master. */
    @Test
    void beginsTheGracePeriodOfAPromotedStaticNode() {
        RedisSettings settings = RedisStore.DEFAULTS;
        try (RedisServer master = RedisServer.start("--repl-diskless-sync-delay", "0");
                RedisServer replica = RedisServer.start()) {
            replica.follow(master);
            RedisConnector connector =
                    DirectRedisConnector.toMasterAmong(List.of(master.uri(), replica.uri()), settings);
            RedisConnections connections = new RedisConnections(connector, settings, PULSE);
            try (RedisLockBackend backend = new RedisLockBackend(connector, settings, connections)) {
                backend.listen("a", new RecordedSignals());
                BackendUser.answer(backend.attemptAcquire(command(BackendUser.KEY)));

                await().atMost(Patience.TIME).until(() -> replica.commands().exists("lock:history") == 1);
                replica.promote();
                await().atMost(Patience.TIME).until(() -> connections.current("lock:history") == null);
                master.follow(replica);

                awaitGrace(() -> replica, "lock:history");
            }
        }
    }

    /** The first instance keeps its value, so that the other one reports the difference all the time. */
    @Test
    void warnsAnInstanceThatStartsWithAnotherGracePeriod() {
        RedisSettings usual = RedisStore.DEFAULTS;
        RedisSettings longer = RedisStore.guarding(Duration.ofSeconds(60));
        try (RedisServer server = RedisServer.start();
                RedisLockBackend first = backend(new DirectRedisConnector(server.uri(), usual), usual);
                RedisLockBackend alike = backend(new DirectRedisConnector(server.uri(), usual), usual);
                RedisLockBackend other = silent(new DirectRedisConnector(server.uri(), longer), longer)) {
            await().atMost(Patience.TIME).until(() -> server.commands().exists("lock:history:grace") == 1);

            other.start();
            other.listen("b", new RecordedSignals());

            await().atMost(Patience.TIME)
                    .during(Duration.ofMillis(Patience.MOMENT_MILLIS)) // some pulses
                    .untilAsserted(() -> {
                        assertThat(other.warnings())
                                .singleElement()
                                .asString()
                                .contains("for 30s after", "for 60s", "max-lease");
                        assertThat(first.warnings()).isEmpty();
                        assertThat(alike.warnings()).isEmpty();
                    });
            assertThat(server.commands().get("lock:history:grace")).isEqualTo("30000");
            assertThat(server.commands().pttl("lock:history:grace")).isBetween(1L, 15_000L);
        }
    }

    private static AcquireCommand command(String key) {
        return new AcquireCommand(key, TOKEN, BackendUser.LEASE, 0, 1, Optional.empty());
    }

    private static RedisConnector cluster() {
        return cluster(RedisStore.DEFAULTS);
    }

    private static RedisConnector cluster(RedisSettings settings) {
        return DirectRedisConnector.toCluster(
                CLUSTER.topology().servers().stream().map(RedisServer::uri).toList(), settings);
    }

    private static RedisLockBackend backend(RedisConnector connector, RedisSettings settings) {
        RedisLockBackend backend = silent(connector, settings);
        backend.listen("a", new RecordedSignals());
        return backend;
    }

    private static RedisLockBackend silent(RedisConnector connector, RedisSettings settings) {
        return new RedisLockBackend(connector, settings, new RedisConnections(connector, settings, PULSE));
    }

    private static void awaitGrace(Supplier<RedisServer> master, String history) {
        await().atMost(Patience.TIME)
                .ignoreExceptionsInstanceOf(RedisException.class)
                .untilAsserted(() -> assertThat(master.get().commands().get(history))
                        .startsWith(master.get().info("replication").get("master_replid"))
                        .endsWith(":grace"));
    }
}
