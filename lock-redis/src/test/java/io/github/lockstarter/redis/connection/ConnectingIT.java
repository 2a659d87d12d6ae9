package io.github.lockstarter.redis.connection;

import static io.github.lockstarter.redis.BackendUser.answer;
import static io.github.lockstarter.redis.BackendUser.token;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.kit.net.FreePort;
import io.github.lockstarter.kit.net.ProxyLink;
import io.github.lockstarter.kit.net.TcpProxy;
import io.github.lockstarter.kit.redis.RedisReplication;
import io.github.lockstarter.kit.redis.RedisSentinels;
import io.github.lockstarter.kit.redis.RedisServer;
import io.github.lockstarter.kit.redis.TopologyExtension;
import io.github.lockstarter.redis.BackendUser;
import io.github.lockstarter.redis.RedisLockBackend;
import io.github.lockstarter.redis.connector.DirectRedisConnector;
import io.github.lockstarter.redis.connector.RedisConnector;
import io.github.lockstarter.redis.settings.RedisSettings;
import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.testing.Effort;
import io.lettuce.core.RedisURI;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How long a lock operation waits for a connection where servers accept one and then say nothing or answer late. */
class ConnectingIT {

    private static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(1);
    private static final RedisSettings SETTINGS =
            new RedisSettings("lock:", COMMAND_TIMEOUT, RedisSettings.HistoryGuard.of(Duration.ofSeconds(30)));

    /** The command timeout, plus delays of a busy machine. */
    private static final Duration BOUND = COMMAND_TIMEOUT.plusMillis(900);

    private final List<ServerSocket> silent = new ArrayList<>();

    /** Otherwise the first test would measure the loading of the client's classes. */
    @BeforeAll
    static void loadTheClient() {
        RedisURI nowhere = RedisURI.create("127.0.0.1", 1);
        try (RedisLockBackend backend = backend(DirectRedisConnector.toMasterAmong(List.of(nowhere), SETTINGS))) {
            answer(acquire(backend, 1));
        }
    }

    @AfterEach
    void close() throws IOException {
        for (ServerSocket each : silent) {
            each.close();
        }
    }

    @Test
    @Tag(Effort.TIMING)
    void takesOneCommandTimeoutWithOneServer() {
        try (RedisLockBackend backend = backend(new DirectRedisConnector(silentServer(), SETTINGS))) {
            assertNothingIsSentWithinTheBound(backend);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 5})
    @Tag(Effort.TIMING)
    void takesOneCommandTimeoutWithSeveralServers(int servers) {
        List<RedisURI> all = Stream.generate(this::silentServer).limit(servers).toList();
        try (RedisLockBackend backend = backend(DirectRedisConnector.toMasterAmong(all, SETTINGS))) {
            assertNothingIsSentWithinTheBound(backend);
        }
    }

    @Test
    @Tag(Effort.TIMING)
    void takesOneCommandTimeoutWithSentinels() {
        try (RedisLockBackend backend = backend(new DirectRedisConnector(sentinels(3), SETTINGS))) {
            assertNothingIsSentWithinTheBound(backend);
        }
    }

    @Test
    @Tag(Effort.TIMING)
    void takesOneCommandTimeoutWithACluster() {
        List<RedisURI> all = Stream.generate(this::silentServer).limit(3).toList();
        try (RedisLockBackend backend = backend(DirectRedisConnector.toCluster(all, SETTINGS))) {
            assertNothingIsSentWithinTheBound(backend);
        }
    }

    @Test
    @Tag(Effort.TIMING)
    void takesOneCommandTimeoutForACallerThatArrivesWhileAnotherWaits() throws InterruptedException {
        try (RedisLockBackend backend = backend(new DirectRedisConnector(sentinels(3), SETTINGS))) {
            CompletableFuture<AcquireResult> first = acquire(backend, 1);
            TimeUnit.MILLISECONDS.sleep(COMMAND_TIMEOUT.toMillis() / 2); // so that the second one arrives in the middle
            assertNothingIsSentWithinTheBound(backend);
            assertThat(answer(first)).isInstanceOf(AcquireResult.Rejected.class);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void closesConnectionsToServersThatDoNotAnswer(boolean cluster) throws IOException {
        List<RedisURI> all = Stream.generate(this::silentServer).limit(3).toList();
        try (RedisLockBackend backend = backend(
                cluster
                        ? DirectRedisConnector.toCluster(all, SETTINGS)
                        : DirectRedisConnector.toMasterAmong(all, SETTINGS))) {
            answer(acquire(backend, 1));
            for (ServerSocket server : silent) {
                assertAllConnectionsEnd(server);
            }
        }
    }

    @Nested
    class WithAMaster {

        @RegisterExtension
        static final TopologyExtension<RedisReplication> REPLICATION = TopologyExtension.replication();

        @Test
        void findsTheMasterAmongServersThatDoNotAnswer() {
            RedisURI master = uriOf(REPLICATION.topology().master());
            List<RedisURI> all = List.of(silentServer(), silentServer(), master);
            try (RedisLockBackend backend = backend(DirectRedisConnector.toMasterAmong(all, SETTINGS))) {
                awaitGrant(backend);
            }
        }

        /** As where the first attempt of a JVM loads the client's classes for that long. */
        @Test
        void connectsAgainAtStartupWhenNoServerAnswered() {
            RedisSettings patient =
                    new RedisSettings("lock:", Duration.ofSeconds(3), RedisSettings.HistoryGuard.of(Duration.ZERO));
            try (TcpProxy proxy = TcpProxy.before(REPLICATION.topology().master());
                    RedisLockBackend backend = new RedisLockBackend(
                            new DirectRedisConnector(RedisURI.create(proxy.host(), proxy.port()), patient), patient)) {
                proxy.stallRequests();
                CompletableFuture<Void> started = CompletableFuture.runAsync(backend::start);
                await().until(() -> proxy.connections() > 0);
                ProxyLink first = proxy.open().get(0);
                await().until(() -> proxy.open().stream().anyMatch(link -> link != first));

                proxy.flow();

                assertThat(started).succeedsWithin(Patience.TIME);
            }
        }

        @Test
        void closesAConnectionThatOpensAfterTheMasterWasFound() {
            RedisServer replica = REPLICATION.topology().replicas().get(0);
            RedisURI master = uriOf(REPLICATION.topology().master());
            try (TcpProxy late = TcpProxy.before(replica)) {
                late.stallRequests();
                RedisURI slow = RedisURI.create(late.host(), late.port());
                try (RedisLockBackend backend =
                        backend(DirectRedisConnector.toMasterAmong(List.of(slow, master), SETTINGS))) {
                    awaitGrant(backend);
                    late.flow();
                    await().untilAsserted(() -> assertThat(late.connections()).isZero());
                }
            }
        }
    }

    @Nested
    class WithSentinels {

        @RegisterExtension
        static final TopologyExtension<RedisSentinels> SENTINELS = TopologyExtension.sentinels();

        @Test
        void asksTheSentinelThatAnswers() {
            RedisURI uri = sentinels(2);
            RedisServer alive = SENTINELS.topology().sentinels().get(0);
            uri.getSentinels().add(RedisURI.create(alive.host(), alive.port()));
            try (RedisLockBackend backend = backend(new DirectRedisConnector(uri, SETTINGS))) {
                awaitGrant(backend);
            }
        }

        /** As one that has just returned, with its old master on the same machine. */
        @Test
        void connectsToTheMasterThatMostSentinelsName() {
            List<RedisServer> agreeing = SENTINELS.topology().sentinels();
            try (RedisServer old = RedisServer.start();
                    RedisServer returned = sentinelOf(old);
                    RedisLockBackend backend = patient(namedBy(returned, agreeing.get(0), agreeing.get(1)))) {
                assertThat(answer(acquire(backend, 1))).isInstanceOf(AcquireResult.Granted.class);
                assertThat(old.commands().dbsize()).isZero();
            }
        }

        @Test
        void waitsForMoreThanHalfOfTheSentinels() {
            List<RedisServer> agreeing = SENTINELS.topology().sentinels();
            try (RedisServer old = RedisServer.start();
                    RedisServer returned = sentinelOf(old);
                    TcpProxy second = slowly(agreeing.get(0));
                    TcpProxy third = slowly(agreeing.get(1))) {
                RedisURI uri = namedBy(returned);
                uri.getSentinels().add(RedisURI.create(second.host(), second.port()));
                uri.getSentinels().add(RedisURI.create(third.host(), third.port()));
                try (RedisLockBackend backend = patient(uri)) {
                    awaitGrant(backend);
                    assertThat(old.commands().dbsize()).isZero();
                }
            }
        }

        private static TcpProxy slowly(RedisServer sentinel) {
            TcpProxy proxy = TcpProxy.before(sentinel);
            proxy.delayRequests(Duration.ofMillis(200));
            return proxy;
        }

        @Test
        void connectsToNoMasterWhileTheSentinelsDoNotAgree() {
            List<RedisServer> agreeing = SENTINELS.topology().sentinels();
            try (RedisServer old = RedisServer.start();
                    RedisServer returned = sentinelOf(old);
                    RedisLockBackend backend = patient(namedBy(returned, agreeing.get(0)))) {
                assertThat(answer(acquire(backend, 1)))
                        .isInstanceOfSatisfying(AcquireResult.Rejected.class, rejected -> assertThat(rejected.reason())
                                .contains("do not agree", Integer.toString(old.port())));
            }
        }

        private static RedisLockBackend patient(RedisURI uri) {
            RedisSettings patient =
                    new RedisSettings("lock:", Duration.ofSeconds(20), RedisSettings.HistoryGuard.of(Duration.ZERO));
            return new RedisLockBackend(new DirectRedisConnector(uri, patient), patient);
        }

        private static RedisURI namedBy(RedisServer... sentinels) {
            RedisURI.Builder uri = RedisURI.builder().withSentinelMasterId(RedisSentinels.MASTER);
            Stream.of(sentinels).forEach(sentinel -> uri.withSentinel(sentinel.host(), sentinel.port()));
            return uri.build();
        }

        private static RedisServer sentinelOf(RedisServer master) {
            return RedisServer.startSentinel(
                    "--sentinel",
                    "monitor",
                    RedisSentinels.MASTER,
                    master.host(),
                    Integer.toString(master.port()),
                    "1");
        }
    }

    /** The operating system accepts connections, but no process reads from them. */
    private RedisURI silentServer() {
        try {
            ServerSocket server = new ServerSocket(FreePort.next(), 50, InetAddress.getLoopbackAddress());
            silent.add(server);
            return RedisURI.create(server.getInetAddress().getHostAddress(), server.getLocalPort());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void assertAllConnectionsEnd(ServerSocket server) throws IOException {
        server.setSoTimeout(Patience.MOMENT_MILLIS);
        while (true) {
            Socket connection;
            try {
                connection = server.accept();
            } catch (SocketTimeoutException e) {
                return; // that was all
            }
            try (connection) {
                connection.setSoTimeout((int) Patience.TIME.toMillis());
                connection.getInputStream().transferTo(OutputStream.nullOutputStream());
            }
        }
    }

    private RedisURI sentinels(int count) {
        RedisURI.Builder uri = RedisURI.builder().withSentinelMasterId(RedisSentinels.MASTER);
        for (int i = 0; i < count; i++) {
            uri.withSentinel(silentServer());
        }
        return uri.build();
    }

    private static RedisURI uriOf(RedisServer server) {
        return RedisURI.create(server.host(), server.port());
    }

    private static RedisLockBackend backend(RedisConnector connector) {
        return new RedisLockBackend(connector, SETTINGS);
    }

    private static CompletableFuture<AcquireResult> acquire(RedisLockBackend backend, int sequence) {
        return backend.attemptAcquire(new AcquireCommand(
                        BackendUser.KEY, token("a", sequence), BackendUser.LEASE, 0, 1, Optional.empty()))
                .toCompletableFuture();
    }

    private static void assertNothingIsSentWithinTheBound(RedisLockBackend backend) {
        long began = System.nanoTime();
        AcquireResult result = answer(acquire(backend, 2));
        Duration took = Duration.ofNanos(System.nanoTime() - began);
        assertThat(result).isInstanceOf(AcquireResult.Rejected.class);
        assertThat(took).isLessThan(BOUND);
    }

    /** Each silent server takes a command timeout, in which callers are rejected. */
    private static void awaitGrant(RedisLockBackend backend) {
        await().atMost(Patience.TIME)
                .untilAsserted(() -> assertThat(answer(acquire(backend, 2))).isInstanceOf(AcquireResult.Granted.class));
    }
}
