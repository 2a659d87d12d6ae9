package io.github.lockstarter.redis;

import static io.github.lockstarter.redis.BackendUser.token;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.kit.net.TcpProxy;
import io.github.lockstarter.kit.redis.RedisCluster;
import io.github.lockstarter.kit.redis.RedisExtension;
import io.github.lockstarter.kit.redis.RedisServer;
import io.github.lockstarter.kit.redis.TopologyExtension;
import io.github.lockstarter.redis.connection.RedisConnections;
import io.github.lockstarter.redis.connection.SignalMailbox;
import io.github.lockstarter.redis.connector.DirectRedisConnector;
import io.github.lockstarter.redis.connector.RedisConnector;
import io.github.lockstarter.redis.contract.RedisStore;
import io.github.lockstarter.redis.settings.RedisSettings;
import io.github.lockstarter.spi.AcquireResult;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.protocol.ProtocolVersion;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** An instance receives signals again soon after the connection of its mailbox has become silent without breaking. */
@Timeout(300)
class MailboxIT {

    /** A server is silent after three commands without an answer. */
    private static final RedisSettings HASTY = RedisStore.guarding(Duration.ofSeconds(2), Duration.ofMillis(300));

    private static final Duration PULSE = Duration.ofMillis(100);

    private final RecordedSignals signals = new RecordedSignals();

    private static RedisLockBackend backend(RedisConnector connector, RedisSettings settings) {
        return new RedisLockBackend(connector, settings, new RedisConnections(connector, settings, PULSE));
    }

    @Nested
    class OneServer {

        @RegisterExtension
        static final RedisExtension REDIS = new RedisExtension();

        private final RedisServer server = REDIS.server();

        @ParameterizedTest
        @EnumSource
        void reopensAMailboxThatHangs(ProtocolVersion protocol) {
            ClientOptions options =
                    HASTY.tune(ClientOptions.builder().protocolVersion(protocol).build());
            try (TcpProxy proxy = TcpProxy.before(server);
                    FirstMailboxBehind connector = new FirstMailboxBehind(
                            new DirectRedisConnector(RedisURI.create(proxy.host(), proxy.port()), HASTY, options),
                            new DirectRedisConnector(server.uri(), HASTY, options));
                    RedisLockBackend backend = backend(connector, HASTY)) {
                backend.listen("a", signals);
                BackendUser user = new BackendUser(backend);
                await().until(() -> user.acquire(token("a", 1)) instanceof AcquireResult.Granted);
                proxy.stallReplies();
                await().untilAsserted(() -> assertThat(signals.restored()).isPositive());
                await().until(
                                () -> { // a message to the mailbox that hangs gets lost
                                    server.commands().publish("lock:mailbox:a", BackendUser.KEY);
                                    return signals.keys().contains(BackendUser.KEY);
                                });
                await().untilAsserted(() -> assertThat(proxy.connections()).isZero());
                assertThat(user.release(token("a", 1), 0)).isNotNull();
            }
        }

        @ParameterizedTest
        @EnumSource
        void keepsAMailboxThatAnswers(ProtocolVersion protocol) {
            ClientOptions options = RedisStore.SETTINGS.tune(
                    ClientOptions.builder().protocolVersion(protocol).build());
            FirstMailboxBehind connector = new FirstMailboxBehind(
                    new DirectRedisConnector(server.uri(), RedisStore.SETTINGS, options),
                    new DirectRedisConnector(server.uri(), RedisStore.SETTINGS, options));
            try (RedisLockBackend backend = backend(connector, RedisStore.SETTINGS)) {
                backend.listen("a", signals);
                new BackendUser(backend).granted(token("a", 1));
                server.commands().configResetstat();
                await().atMost(Patience.TIME).untilAsserted(() -> assertThat(
                                server.info("commandstats").getOrDefault("cmdstat_ping", ""))
                        .matches("calls=([3-9]|\\d\\d).*"));
                server.commands().publish("lock:mailbox:a", BackendUser.KEY);
                await().untilAsserted(() -> assertThat(signals.keys()).containsExactly(BackendUser.KEY));
                assertThat(connector.mailboxes.get()).isEqualTo(1);
                assertThat(signals.restored()).isZero();
            }
        }

        @Test
        void pingsAgainWhateverTheWorkOfAPingThrows() {
            AtomicInteger pings = new AtomicInteger();
            SignalMailbox mailbox = new SignalMailbox("lock:mailbox:a", signals, () -> {
                pings.incrementAndGet();
                throw new IllegalStateException("planted");
            });
            try (DirectRedisConnector connector = new DirectRedisConnector(server.uri(), RedisStore.SETTINGS);
                    RedisConnections connections = new RedisConnections(connector, RedisStore.SETTINGS, PULSE)) {
                connections.subscribe(mailbox);

                await().atMost(Patience.TIME).until(() -> pings.get() >= 3);
            }
        }
    }

    @Nested
    class Cluster {

        @RegisterExtension
        static final TopologyExtension<RedisCluster> REDIS = TopologyExtension.cluster();

        @Test
        void reopensTheMailboxAtAnotherNodeWhenItsNodeHangs() {
            RedisCluster cluster = REDIS.topology();
            List<RedisURI> uris =
                    cluster.servers().stream().map(RedisServer::uri).toList();
            try (RedisLockBackend backend = backend(DirectRedisConnector.toCluster(uris, HASTY), HASTY)) {
                backend.listen("a", signals);
                backend.start();
                RedisServer node = cluster.servers().stream()
                        .filter(server -> server.commands()
                                        .pubsubChannels("lock:mailbox:*")
                                        .size()
                                == 1)
                        .findFirst()
                        .orElseThrow();
                node.pause();
                await().atMost(Patience.TIME)
                        .untilAsserted(() -> assertThat(signals.restored()).isPositive());
                cluster.servers().stream()
                        .filter(server -> server != node)
                        .findFirst()
                        .orElseThrow()
                        .commands()
                        .publish("lock:mailbox:a", BackendUser.KEY);
                await().untilAsserted(() -> assertThat(signals.keys()).contains(BackendUser.KEY));
            }
        }
    }

    /** Uses one path for the first mailbox and another for everything else. */
    private static final class FirstMailboxBehind implements RedisConnector {

        private final RedisConnector first;
        private final RedisConnector others;
        private final AtomicInteger mailboxes = new AtomicInteger();

        FirstMailboxBehind(RedisConnector first, RedisConnector others) {
            this.first = first;
            this.others = others;
        }

        @Override
        public StatefulConnection<String, String> connect() {
            return others.connect();
        }

        @Override
        public StatefulRedisPubSubConnection<String, String> connectPubSub() {
            return (mailboxes.incrementAndGet() == 1 ? first : others).connectPubSub();
        }

        @Override
        public ScheduledExecutorService loop() {
            return others.loop();
        }

        @Override
        public Target target() {
            return others.target();
        }

        @Override
        public void close() {
            first.close();
            others.close();
        }
    }
}
