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
import io.github.lockstarter.redis.settings.RedisSettings.FirstUse;
import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.LockToken;
import io.lettuce.core.RedisException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The work of an instance without heartbeats whose locks nobody uses. */
@Timeout(300)
class IdleInstanceIT {

    @RegisterExtension
    static final TopologyExtension<RedisCluster> CLUSTER = TopologyExtension.cluster();

    private static final LockToken TOKEN = BackendUser.token("a", 1);

    /** With {@code GRACE}, as a node of a quorum. */
    @ParameterizedTest
    @EnumSource
    void beginsTheGracePeriodOfARestartedServer(FirstUse firstUse) {
        RedisSettings settings = new RedisSettings(
                "lock:",
                RedisStore.DEFAULTS.commandTimeout(),
                new RedisSettings.Guard(Duration.ofSeconds(30), firstUse, Duration.ZERO));
        try (RedisServer server = RedisServer.start();
                RedisLockBackend backend = backend(new DirectRedisConnector(server.uri(), settings), settings)) {
            BackendUser.answer(backend.acquire(command(BackendUser.KEY)));

            server.kill();
            server.restart();

            awaitGrace(server, "lock:history");
        }
    }

    @Test
    void beginsTheGracePeriodOfAllUsedSlotsOfARestartedClusterNode() {
        RedisSettings settings = RedisStore.DEFAULTS;
        RedisServer node = CLUSTER.topology().masterOf("lock:{0}");
        List<String> keys = IntStream.range(0, 100)
                .mapToObj(String::valueOf)
                .filter(key -> CLUSTER.topology().masterOf("lock:{" + key + "}") == node)
                .limit(3)
                .toList();
        RedisConnector connector = DirectRedisConnector.toCluster(
                CLUSTER.topology().servers().stream().map(RedisServer::uri).toList(), settings);
        try (RedisLockBackend backend = backend(connector, settings)) {
            assertThat(keys)
                    .extracting(key -> BackendUser.answer(backend.acquire(command(key))))
                    .hasSize(3)
                    .hasOnlyElementsOfType(AcquireResult.Granted.class);

            node.kill();
            node.restart();

            keys.forEach(key -> awaitGrace(node, "lock:history:{" + key + "}"));
        }
    }

    @Test
    void warnsAnInstanceThatStartsWithAnotherGracePeriod() {
        RedisSettings longer = RedisStore.guarding(Duration.ofSeconds(60));
        try (RedisServer server = RedisServer.start();
                RedisLockBackend first =
                        backend(new DirectRedisConnector(server.uri(), RedisStore.DEFAULTS), RedisStore.DEFAULTS);
                RedisLockBackend alike = new RedisLockBackend(
                        new DirectRedisConnector(server.uri(), RedisStore.DEFAULTS), RedisStore.DEFAULTS);
                RedisLockBackend other = new RedisLockBackend(new DirectRedisConnector(server.uri(), longer), longer)) {
            first.start();
            await().atMost(Patience.TIME)
                    .untilAsserted(() -> assertThat(server.commands().exists("lock:history:grace"))
                            .isEqualTo(1));

            alike.start();
            other.start();

            assertThat(alike.warnings()).isEmpty();
            assertThat(other.warnings()).singleElement().asString().contains("30s after", "for 60s", "max-lease");
        }
    }

    private static AcquireCommand command(String key) {
        return new AcquireCommand(key, TOKEN, BackendUser.LEASE, 0, 1, Optional.empty());
    }

    private static RedisLockBackend backend(RedisConnector connector, RedisSettings settings) {
        RedisLockBackend backend = new RedisLockBackend(
                connector, settings, new RedisConnections(connector, settings, Duration.ofMillis(100)));
        backend.listen("a", new RecordedSignals());
        return backend;
    }

    private static void awaitGrace(RedisServer server, String history) {
        await().atMost(Patience.TIME)
                .ignoreExceptionsInstanceOf(RedisException.class)
                .untilAsserted(() -> assertThat(server.commands().get(history))
                        .startsWith(server.info("replication").get("master_replid"))
                        .endsWith(":grace"));
    }
}
