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
import io.github.lockstarter.redis.connector.RedisUnavailableException;
import io.github.lockstarter.redis.contract.RedisStore;
import io.github.lockstarter.redis.settings.RedisSettings;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.CrashDetection;
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

/** An instance receives signals again soon after they no longer arrive, although no connection breaks. */
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

        @RegisterExtension
        static final RedisExtension OTHER = new RedisExtension();

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
            RedisConnections slow = new RedisConnections(connector, RedisStore.SETTINGS, Duration.ofSeconds(1));
            try (RedisLockBackend backend = new RedisLockBackend(connector, RedisStore.SETTINGS, slow)) {
                backend.listen("a", signals);
                new BackendUser(backend).granted(token("a", 1));
                server.commands().configResetstat();
                awaitMessages(server);
                server.commands().publish("lock:mailbox:a", BackendUser.KEY);
                await().untilAsserted(() -> assertThat(signals.keys()).containsExactly(BackendUser.KEY));
                assertThat(connector.mailboxes.get()).isEqualTo(1);
                assertThat(signals.restored()).isZero();
            }
        }

        @Test
        void reopensAMailboxThatIsOnAnotherServer() {
            assertReopened(OTHER.server());
        }

        /** The master's messages arrive there, but others find no subscriber at the master. */
        @Test
        void reopensAMailboxThatIsOnAReplica() {
            try (RedisServer replica = RedisServer.start()) {
                replica.follow(server);
                await().until(() -> "up".equals(replica.info("replication").get("master_link_status")));
                assertReopened(replica);
            }
        }

        private void assertReopened(RedisServer wrong) {
            FirstMailboxBehind connector = new FirstMailboxBehind(direct(wrong), direct(server));
            try (RedisLockBackend backend = backend(connector, RedisStore.SETTINGS)) {
                backend.listen("a", signals);
                new BackendUser(backend).granted(token("a", 1));

                await().atMost(Patience.TIME).until(() -> subscribers(server) == 1);
                server.commands().publish("lock:mailbox:a", BackendUser.KEY);
                await().untilAsserted(() -> assertThat(signals.keys()).contains(BackendUser.KEY));
                assertThat(subscribers(wrong)).isZero();
            }
        }

        /** Lettuce resubscribes once, after it has connected. */
        @Test
        void subscribesAgainWhenTheRightToIsBack() {
            try (RedisLockBackend backend = backend(direct(server), RedisStore.SETTINGS)) {
                backend.listen("a", signals);
                new BackendUser(backend).granted(token("a", 1));

                server.grantDefaultUser("resetchannels");
                await().until(() -> server.commands().clientList().matches("(?s).* sub=0 .* cmd=subscribe .*"));
                server.grantDefaultUser("allchannels");

                await().atMost(Patience.TIME).until(() -> subscribers(server) == 1);
            }
        }

        @Test
        void saysThatNoSignalsArriveHoweverOftenTheMailboxIsReopened() {
            FirstMailboxBehind connector = new FirstMailboxBehind(direct(OTHER.server()), direct(server));
            connector.wrong = Integer.MAX_VALUE;
            try (RedisLockBackend backend = backend(connector, RedisStore.SETTINGS)) {
                backend.listen("a", signals);
                new BackendUser(backend).granted(token("a", 1));
                CrashDetection heartbeat = backend.crashDetection().orElseThrow();

                await().until(() -> !heartbeat.hearsSignals());
                int reopened = connector.mailboxes.get();
                await().until(() -> {
                    assertThat(heartbeat.hearsSignals()).isFalse();
                    assertThat(BackendUser.answer(backend.state()).hearsSignals())
                            .isFalse();
                    return connector.mailboxes.get() >= reopened + 3;
                });
            }
        }

        @Test
        void provesAgainWhateverTheWorkOfAPulseThrows() {
            AtomicInteger pulses = new AtomicInteger();
            SignalMailbox mailbox = new SignalMailbox("lock:mailbox:a", signals, () -> true, () -> {
                pulses.incrementAndGet();
                throw new IllegalStateException("planted");
            });
            try (DirectRedisConnector connector = new DirectRedisConnector(server.uri(), RedisStore.SETTINGS);
                    RedisConnections connections = new RedisConnections(connector, RedisStore.SETTINGS, PULSE)) {
                connections.subscribe(mailbox);

                await().atMost(Patience.TIME).until(() -> pulses.get() >= 3);
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
                await().ignoreExceptionsInstanceOf(RedisUnavailableException.class)
                        .untilAsserted(backend::start);
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

        /** Where the message is published, a node counts only its own subscribers. */
        @Test
        void keepsAMailboxOnAnotherNode() {
            RedisCluster cluster = REDIS.topology();
            List<RedisURI> uris =
                    cluster.servers().stream().map(RedisServer::uri).toList();
            RedisServer publisher = cluster.masterOf("lock:mailbox:a");
            RedisServer another = cluster.servers().stream()
                    .filter(server -> server != publisher)
                    .findFirst()
                    .orElseThrow();
            FirstMailboxBehind connector =
                    new FirstMailboxBehind(direct(another), DirectRedisConnector.toCluster(uris, RedisStore.SETTINGS));
            RedisConnections slow = new RedisConnections(connector, RedisStore.SETTINGS, Duration.ofSeconds(1));
            try (RedisLockBackend backend = new RedisLockBackend(connector, RedisStore.SETTINGS, slow)) {
                publisher.commands().configResetstat();
                backend.listen("a", signals);
                new BackendUser(backend).acquire(token("a", 1));

                awaitMessages(publisher);
                assertThat(connector.mailboxes.get()).isEqualTo(1);
            }
        }

        /** Behind one address, commands and the mailbox may reach different nodes. */
        @Test
        void keepsAMailboxOnAnotherShard() {
            RedisServer publisher = REDIS.topology().servers().get(0);
            RedisServer another = REDIS.topology().servers().get(1);
            SignalMailbox mailbox = new SignalMailbox("lock:mailbox:a", signals, () -> false, () -> {});
            publisher.commands().configResetstat();
            try (FirstMailboxBehind connector = new FirstMailboxBehind(direct(another), direct(publisher));
                    RedisConnections connections =
                            new RedisConnections(connector, RedisStore.SETTINGS, Duration.ofSeconds(1))) {
                connections.subscribe(mailbox);

                awaitMessages(publisher);
                assertThat(connector.mailboxes.get()).isEqualTo(1);
                assertThat(connections.hearsSignals()).isTrue();
            }
        }

        /** As on a node that has left the cluster: it answers, and no other one sends it messages. */
        @Test
        void reopensAMailboxThatTheClusterDoesNotReach() {
            List<RedisURI> uris =
                    REDIS.topology().servers().stream().map(RedisServer::uri).toList();
            try (RedisServer alone = RedisServer.start();
                    RedisLockBackend backend = backend(
                            new FirstMailboxBehind(
                                    direct(alone), DirectRedisConnector.toCluster(uris, RedisStore.SETTINGS)),
                            RedisStore.SETTINGS)) {
                backend.listen("a", signals);
                backend.start();

                await().atMost(Patience.TIME).until(() -> {
                    REDIS.topology().servers().get(0).commands().publish("lock:mailbox:a", BackendUser.KEY);
                    return signals.keys().contains(BackendUser.KEY);
                });
            }
        }
    }

    /** The third one is sent only after the first two have been judged. */
    private static void awaitMessages(RedisServer publisher) {
        await().atMost(Patience.TIME)
                .untilAsserted(() -> assertThat(publisher.info("commandstats").getOrDefault("cmdstat_publish", ""))
                        .matches("calls=([3-9]|\\d\\d).*"));
    }

    private static RedisConnector direct(RedisServer server) {
        return new DirectRedisConnector(server.uri(), RedisStore.SETTINGS);
    }

    private static long subscribers(RedisServer server) {
        return server.commands().pubsubNumsub("lock:mailbox:a").get("lock:mailbox:a");
    }

    /** Uses one path for the first mailbox and another for everything else. */
    private static final class FirstMailboxBehind implements RedisConnector {

        private final RedisConnector first;
        private final RedisConnector others;
        private final AtomicInteger mailboxes = new AtomicInteger();
        private volatile int wrong = 1;

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
            return (mailboxes.incrementAndGet() <= wrong ? first : others).connectPubSub();
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
        public boolean isCluster() {
            return others.isCluster();
        }

        @Override
        public void close() {
            first.close();
            others.close();
        }
    }
}
