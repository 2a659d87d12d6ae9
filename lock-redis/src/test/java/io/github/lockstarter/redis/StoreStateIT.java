package io.github.lockstarter.redis;

import static io.github.lockstarter.redis.BackendUser.answer;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.type;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockAdmin.StoreState;
import io.github.lockstarter.LockAdmin.StoreState.Guard;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.kit.net.TcpProxy;
import io.github.lockstarter.kit.redis.RedisExtension;
import io.github.lockstarter.kit.redis.RedisServer;
import io.github.lockstarter.redis.connection.RedisConnections;
import io.github.lockstarter.redis.connector.DirectRedisConnector;
import io.github.lockstarter.redis.contract.RedisStore;
import io.github.lockstarter.redis.settings.RedisSettings;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.testing.Effort;
import io.lettuce.core.RedisURI;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The state of the store on a server that is healthy, hangs, evicts, or hides its history. */
class StoreStateIT {

    @RegisterExtension
    static final RedisExtension REDIS = new RedisExtension();

    private static final RedisSettings SETTINGS = RedisStore.guarding(Duration.ofSeconds(30));
    private static final RedisSettings HASTY = RedisStore.hasty(Duration.ofSeconds(30));

    private final RedisServer server = REDIS.server();
    private final RedisLockBackend backend =
            new RedisLockBackend(new DirectRedisConnector(server.uri(), SETTINGS), SETTINGS);

    @BeforeEach
    void listen() {
        backend.listen("0123456789abcdef0123456789abcdef", new RecordedSignals());
    }

    @AfterEach
    void close() {
        server.resume();
        backend.close();
        server.commands().replicaofNoOne();
        server.commands().configSet("maxmemory", "0");
        server.commands().configSet("min-replicas-to-write", "0");
        server.commands().configSet("maxmemory-policy", "noeviction");
    }

    @Test
    void reportsAHealthyServerBeforeAndAfterTheStart() {
        // The answer that opens the connection may arrive before the link is visible to all threads.
        await().atMost(Patience.TIME).untilAsserted(() -> assertThat(state()).satisfies(StoreStateIT::isWell));
        backend.start();
        assertThat(state()).satisfies(StoreStateIT::isWell);
    }

    private static void isWell(StoreState state) {
        assertThat(state.failure()).isEmpty();
        assertThat(state.guard()).isEqualTo(Guard.GUARDED);
        assertThat(state.recovering()).isZero();
        assertThat(state.hearsSignals()).isTrue();
        assertThat(state.warnings()).isEmpty();
    }

    @Test
    void reportsAHangingServerWithinTheCommandTimeout() {
        try (RedisLockBackend hasty = new RedisLockBackend(new DirectRedisConnector(server.uri(), HASTY), HASTY)) {
            hasty.listen("00112233445566778899aabbccddeeff", new RecordedSignals());
            await().untilAsserted(
                            () -> assertThat(answer(hasty.state()).failure()).isEmpty());
            server.pause();

            assertThat(answer(hasty.state()).failure()).get().asString().contains("No answer");

            server.resume();
            await().untilAsserted(
                            () -> assertThat(answer(hasty.state()).failure()).isEmpty());
        }
    }

    @ParameterizedTest
    @CsvSource({"maxmemory, 1, OOM", "min-replicas-to-write, 1, NOREPLICAS"})
    void reportsAServerThatAnswersAndStoresNoLock(String setting, String value, String error) {
        backend.start();
        await().untilAsserted(() -> assertThat(state().failure()).isEmpty());

        server.commands().configSet(setting, value);

        assertThat(state().failure()).get().asString().contains("refused: " + error);
        server.commands().configSet(setting, "0");
        await().atMost(Patience.TIME)
                .untilAsserted(() -> assertThat(state().failure()).isEmpty());
    }

    @ParameterizedTest
    @ValueSource(strings = {"get", "set", "time", "evalsha"})
    void reportsARightWithoutWhichNothingIsGrantedWhateverCallersHold(String command) {
        server.commands().set("lock:{lock-starter:health}", "of a caller");
        backend.start();
        assertThat(state().failure()).isEmpty();

        server.grantDefaultUser("-" + command);

        // A grant is checked less within 20 ms of an earlier one.
        await().untilAsserted(
                        () -> assertThat(state().failure()).get().asString().contains("refused: ", "+" + command));
    }

    @Test
    void reportsAMasterThatHasBecomeAReplica() {
        backend.start();
        assertThat(state().failure()).isEmpty();

        server.commands().replicaof(server.host(), 1);

        await().untilAsserted(
                        () -> assertThat(state().failure()).get().asString().contains("refused: READONLY"));
    }

    @Test
    void reportsAFullServerThatRecovers() {
        backend.start();
        assertThat(state().failure()).isEmpty();
        server.commands().flushall();
        await().untilAsserted(() -> assertThat(state()).satisfies(state -> {
            assertThat(state.recovering()).isPositive();
            assertThat(state.failure()).isEmpty();
        }));

        server.commands().configSet("maxmemory", "1");

        assertThat(state().failure()).get().asString().contains("refused: OOM");
    }

    /** It brings along the marker of the server that wrote it. */
    @Test
    void namesARestoredSnapshotAsAReasonOfTheRecovery() {
        server.commands().set("lock:history", "f".repeat(40) + ":1700000000000000:grace");

        AcquireResult refused = new BackendUser(backend).acquire(BackendUser.token("a", 1));

        assertThat(refused).asInstanceOf(type(AcquireResult.Recovering.class)).satisfies(recovering -> {
            assertThat(recovering.problem()).contains("restored from a snapshot");
            assertThat(state().recovering()).isPositive();
            assertThat(state().warnings()).containsExactly(recovering.problem());
        });
    }

    @Test
    void repeatsTheWarningsOfTheStart() {
        server.commands().configSet("maxmemory", "100mb");
        server.commands().configSet("maxmemory-policy", "allkeys-lru");
        backend.start();

        assertThat(state().warnings()).singleElement().asString().contains("allkeys-lru");
    }

    @Test
    void readsTheServerSettingsWhenTheStartDidNot() {
        server.commands().configSet("maxmemory", "100mb");
        server.commands().configSet("maxmemory-policy", "allkeys-lru");

        await().atMost(Patience.TIME).untilAsserted(() -> assertThat(state().warnings())
                .singleElement()
                .asString()
                .contains("allkeys-lru"));
    }

    /** A JVM that starts with little CPU time is late itself. */
    @Test
    @Tag(Effort.TIMING)
    void startsAfterOneCheckWithoutAnAnswerInTime() {
        RedisSettings settings = new RedisSettings(
                "lock:", Duration.ofSeconds(2), RedisSettings.HistoryGuard.of(Duration.ofSeconds(30)));
        AtomicInteger checks = new AtomicInteger();
        try (TcpProxy proxy = TcpProxy.before(server);
                RedisLockBackend proxied = new RedisLockBackend(
                        new DirectRedisConnector(RedisURI.create(proxy.host(), proxy.port()), settings), settings)) {
            proxied.listen("00112233445566778899aabbccddeeff", new RecordedSignals());
            proxy.dropReplyTo(request -> {
                if (request.contains("\r\nZPOPMIN\r\n")) { // a script has it in quotes
                    if (checks.incrementAndGet() == 1) {
                        proxy.stallReplies();
                    } else {
                        proxy.flow();
                    }
                }
                return false;
            });
            proxied.start();
            assertThat(checks).hasValue(2);
        }
    }

    @Test
    void readsTheServerSettingsAgainWhenTheReplyIsLost() {
        server.commands().configSet("maxmemory", "100mb");
        server.commands().configSet("maxmemory-policy", "allkeys-lru");
        try (TcpProxy proxy = TcpProxy.before(server);
                RedisLockBackend proxied = new RedisLockBackend(
                        new DirectRedisConnector(RedisURI.create(proxy.host(), proxy.port()), HASTY), HASTY)) {
            proxied.listen("00112233445566778899aabbccddeeff", new RecordedSignals());
            CompletableFuture<Void> asked = new CompletableFuture<>();
            proxy.dropReplyTo(request -> {
                if (request.contains("\r\nINFO\r\n") && asked.complete(null)) {
                    proxy.stallReplies();
                }
                return false; // the reply is late, and the connection stays
            });
            await().atMost(Patience.TIME).until(() -> {
                proxied.state().toCompletableFuture().join();
                return asked.isDone();
            });
            // Sent later, so that the request for the settings has timed out, too.
            await().atMost(Patience.TIME).until(() -> {
                StoreState state = proxied.state().toCompletableFuture().join();
                return state.failure().isPresent();
            });
            proxy.flow();

            await().atMost(Patience.TIME).untilAsserted(() -> assertThat(
                            proxied.state().toCompletableFuture().join().warnings())
                    .singleElement()
                    .asString()
                    .contains("allkeys-lru"));
        }
    }

    @Test
    void reportsThatSignalsAreNotReceivedWhenTheServerHangs() {
        try (RedisLockBackend quick = new RedisLockBackend(
                new DirectRedisConnector(server.uri(), HASTY),
                HASTY,
                new RedisConnections(new DirectRedisConnector(server.uri(), HASTY), HASTY, Duration.ofMillis(100)))) {
            quick.listen("fedcba9876543210fedcba9876543210", new RecordedSignals());
            await().untilAsserted(() -> assertThat(
                            quick.state().toCompletableFuture().join().hearsSignals())
                    .isTrue());

            server.pause();

            await().atMost(Patience.TIME).untilAsserted(() -> assertThat(
                            quick.state().toCompletableFuture().join().hearsSignals())
                    .isFalse());
        }
    }

    @Test
    void reportsADegradedGuardWhenTheHistoryIsNotVisible() {
        server.grantDefaultUser(
                ("reset on nopass ~lock:* resetchannels &lock:* " + BackendUser.LEAST_RIGHTS.replace(" +info", ""))
                        .split(" "));
        backend.start();

        assertThat(state().guard()).isEqualTo(Guard.DEGRADED);
    }

    private StoreState state() {
        return backend.state().toCompletableFuture().join();
    }
}
