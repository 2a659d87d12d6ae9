package io.github.lockstarter.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.kit.redis.RedisCluster;
import io.github.lockstarter.kit.redis.RedisExtension;
import io.github.lockstarter.kit.redis.RedisServer;
import io.github.lockstarter.kit.redis.TopologyExtension;
import io.github.lockstarter.redis.connector.DirectRedisConnector;
import io.github.lockstarter.redis.connector.RedisConnector;
import io.github.lockstarter.redis.contract.RedisStore;
import io.github.lockstarter.redis.settings.RedisSettings;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The startup check queries every server once, needs no more permissions than the locks, and never fails the start. */
class ServerChecksIT {

    private static final RedisSettings WITHOUT_GRACE = RedisStore.WITHOUT_GRACE;

    private static List<String> warningsOf(RedisConnector connector, RedisSettings settings) {
        try (RedisLockBackend backend = new RedisLockBackend(connector, settings)) {
            backend.start();
            return backend.warnings();
        }
    }

    @Nested
    class OneServer {

        @RegisterExtension
        static final RedisExtension REDIS = new RedisExtension();

        private final RedisServer server = REDIS.server();

        @AfterEach
        void setBack() {
            server.commands().configSet("maxmemory", "0");
            server.commands().configSet("maxmemory-policy", "noeviction");
            server.commands().configSet("appendonly", "no");
        }

        private List<String> warnings(RedisSettings settings) {
            return warningsOf(new DirectRedisConnector(server.uri(), settings), settings);
        }

        @Test
        void warnsOfAPolicyThatEvictsLocks() {
            server.commands().configSet("maxmemory", "100mb");
            server.commands().configSet("maxmemory-policy", "volatile-ttl");
            server.grantDefaultUser(
                    ("reset on nopass ~lock:* resetchannels &lock:* " + BackendUser.LEAST_RIGHTS).split(" "));
            assertThat(warnings(RedisStore.DEFAULTS))
                    .containsExactly("Redis at 127.0.0.1:" + server.port() + " evicts keys when it is full"
                            + " (maxmemory-policy volatile-ttl, maxmemory 104857600): a lock that is evicted while it"
                            + " is held is granted again at once. Set maxmemory-policy noeviction, or keep locks on a"
                            + " server of their own");
        }

        @Test
        void givesNoOtherWarnings() {
            server.commands().configSet("maxmemory", "100mb");
            assertThat(warnings(RedisStore.DEFAULTS)).isEmpty();
        }

        @Test
        void warnsThatARestartForgetsLocksWithoutAGracePeriod() {
            assertThat(warnings(WITHOUT_GRACE)).singleElement().asString().contains("appendonly no");
            server.commands().configSet("appendonly", "yes");
            assertThat(warnings(WITHOUT_GRACE)).isEmpty();
        }

        @Test
        void givesNoWarningWhenTheServerHidesItsSettings() {
            server.commands().configSet("maxmemory", "100mb");
            server.commands().configSet("maxmemory-policy", "allkeys-lru");
            server.grantDefaultUser("-info");
            assertThat(warnings(WITHOUT_GRACE)).isEmpty();
        }
    }

    @Nested
    class Cluster {

        @RegisterExtension
        static final TopologyExtension<RedisCluster> REDIS = TopologyExtension.cluster();

        @AfterEach
        void setBack() {
            REDIS.topology().servers().forEach(server -> server.commands().configSet("maxmemory", "0"));
        }

        @Test
        void warnsThatOneMasterIsDownWhileTheOthersGrantLocks() {
            RedisCluster cluster = REDIS.topology();
            RedisServer away = cluster.masterOf("any");
            RedisConnector connector = DirectRedisConnector.toCluster(
                    List.of(cluster.servers().get(0).uri()), WITHOUT_GRACE);
            try (RedisLockBackend backend = new RedisLockBackend(connector, WITHOUT_GRACE)) {
                await().untilAsserted(() -> assertThat(
                                backend.state().toCompletableFuture().join())
                        .satisfies(state -> {
                            assertThat(state.failure()).isEmpty();
                            assertThat(state.nodes()).hasSize(3).allMatch(node -> node.failure()
                                    .isEmpty());
                        }));

                cluster.requireFullCoverage(false);
                cluster.replicaOf(away).pause(); // otherwise it takes over
                away.pause();

                assertThat(backend.state().toCompletableFuture().join()).satisfies(state -> {
                    assertThat(state.failure()).isEmpty();
                    assertThat(state.warnings()).anyMatch(warning -> warning.startsWith("1 of 3 masters"));
                    assertThat(state.nodes())
                            .filteredOn(node -> node.failure().isPresent())
                            .singleElement()
                            .satisfies(node -> assertThat(node.target()).endsWith(":" + away.port()));
                });
            } finally {
                cluster.servers().forEach(RedisServer::resume);
            }
        }

        @Test
        void asksEachMasterOnce() {
            REDIS.topology().servers().forEach(server -> {
                server.commands().configSet("maxmemory", "100mb");
                server.commands().configSet("maxmemory-policy", "volatile-lru");
            });
            List<String> masters = REDIS.topology().servers().stream()
                    .filter(server -> "master".equals(server.info("replication").get("role")))
                    .map(server -> "Redis at 127.0.0.1:" + server.port() + " evicts")
                    .toList();
            RedisConnector connector = DirectRedisConnector.toCluster(
                    List.of(REDIS.topology().servers().get(0).uri()), RedisStore.DEFAULTS);
            assertThat(warningsOf(connector, RedisStore.DEFAULTS))
                    .extracting(warning -> warning.substring(0, warning.indexOf(" keys")))
                    .containsExactlyInAnyOrderElementsOf(masters);
        }
    }
}
