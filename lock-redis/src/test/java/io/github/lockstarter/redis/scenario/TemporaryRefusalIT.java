package io.github.lockstarter.redis.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.ReleaseOutcome;
import io.github.lockstarter.contract.Application;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.kit.net.TcpProxy;
import io.github.lockstarter.kit.redis.RedisExtension;
import io.github.lockstarter.kit.redis.RedisReplication;
import io.github.lockstarter.kit.redis.RedisServer;
import io.github.lockstarter.kit.redis.TopologyExtension;
import io.github.lockstarter.redis.contract.RedisStore;
import io.github.lockstarter.testing.WarmUp;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A wait outlasts a temporary refusal, on every version of the server. */
@Timeout(300)
class TemporaryRefusalIT {

    /** A link that is younger is kept at a server that refuses writes. */
    private static final Duration OLD_ENOUGH = Duration.ofMillis(1_100);

    private static final String LOOP =
            "local start = redis.call('TIME')[1]; repeat until redis.call('TIME')[1] - start > 100";

    private final String prefix = "refused:" + UUID.randomUUID() + ":";

    @Nested
    class OfOneServer {

        @RegisterExtension
        static final RedisExtension REDIS = new RedisExtension();

        @RegisterExtension
        static final RedisExtension MASTER = new RedisExtension();

        private final RedisStore store = new RedisStore(REDIS.server().uri()).with(RedisStore.guarding(Duration.ZERO));
        private final Application application = Application.over(store.connect());

        @BeforeEach
        void connect() {
            WarmUp.connect(application.locks(), prefix + "warm-up");
        }

        @AfterEach
        void close() {
            killScript();
            application.close();
            store.close();
            set("min-replicas-to-write", "0");
            set("lua-time-limit", "5000");
        }

        @Test
        void waitsUntilAReplicaIsPromoted() {
            letPass(OLD_ENOUGH);
            redis().replicaof(MASTER.server().host(), MASTER.server().port());
            List<CompletableFuture<LockHandle>> waiting = acquire(application, 16);
            letPass(OLD_ENOUGH);
            assertThat(waiting).noneMatch(CompletableFuture::isDone);
            redis().replicaofNoOne();
            assertThat(waiting).allSatisfy(TemporaryRefusalIT::isGranted);
        }

        /** A failover behind one address: commands sent without a connection are sent once afterwards. */
        @Test
        void waitsUntilAReplicaFoundAfterAnOutageIsPromoted() {
            TcpProxy proxy = TcpProxy.before(REDIS.server());
            RedisStore behind = RedisStore.behind(proxy).with(RedisStore.guarding(Duration.ZERO));
            try (proxy;
                    behind;
                    Application cutOff = Application.over(behind.connect())) {
                WarmUp.connect(cutOff.locks(), prefix + "behind");
                proxy.refuse();
                proxy.cut();
                await().until(() -> proxy.connections() == 0);
                letPass(Duration.ofMillis(100)); // the client detects it
                List<CompletableFuture<LockHandle>> waiting = acquire(cutOff, 16);
                redis().replicaof(MASTER.server().host(), MASTER.server().port());
                proxy.accept();
                letPass(OLD_ENOUGH);
                assertThat(waiting).noneMatch(CompletableFuture::isDone);
                redis().replicaofNoOne();
                assertThat(waiting).allSatisfy(TemporaryRefusalIT::isGranted);
            } finally {
                redis().replicaofNoOne();
            }
        }

        @Test
        void waitsUntilABusyServerHasFinishedItsScript() {
            set("lua-time-limit", "50");
            CompletableFuture<Void> script = CompletableFuture.runAsync(() -> loop(REDIS.server()));
            await().ignoreException(RedisException.class).until(() -> isBusy(REDIS.server()));
            List<CompletableFuture<LockHandle>> waiting = acquire(application, 16);
            letPass(Duration.ofMillis(Patience.MOMENT_MILLIS));
            assertThat(waiting).noneMatch(CompletableFuture::isDone);
            redis().scriptKill();
            assertThat(waiting).allSatisfy(TemporaryRefusalIT::isGranted);
            script.join();
        }

        @Test
        void waitsUntilTheServerHasEnoughReplicas() {
            set("min-replicas-to-write", "1");
            List<CompletableFuture<LockHandle>> waiting = acquire(application, 16);
            letPass(Duration.ofMillis(Patience.MOMENT_MILLIS));
            assertThat(waiting).noneMatch(CompletableFuture::isDone);
            set("min-replicas-to-write", "0");
            assertThat(waiting).allSatisfy(TemporaryRefusalIT::isGranted);
        }

        private static void killScript() {
            try {
                redis().scriptKill();
            } catch (RedisException e) {
                // No script runs.
            }
        }

        private static RedisCommands<String, String> redis() {
            return REDIS.server().commands();
        }

        private static void set(String name, String value) {
            redis().configSet(name, value);
        }
    }

    @Nested
    class OfAMasterAndReplicas {

        @RegisterExtension
        static final TopologyExtension<RedisReplication> REDIS = TopologyExtension.replication();

        @Test
        void reconnectsWhenAServerIsDemotedWhileItsConnectionsStayOpen() {
            RedisStore store = RedisStore.of(REDIS.topology());
            try (store;
                    Application application = Application.over(store.connect())) {
                WarmUp.connect(application.locks(), prefix + "warm-up");
                letPass(OLD_ENOUGH);
                RedisServer after = promoteAnother();
                List<CompletableFuture<LockHandle>> waiting = acquire(application, 16);
                assertThat(waiting).allSatisfy(TemporaryRefusalIT::isGranted);
                assertThat(after.commands().keys("lock:{" + prefix + "*}")).hasSize(16);
            }
        }

        @Test
        void keepsTheLockOfAHolderThatSendsNothingButRenewals() {
            RedisStore store = RedisStore.of(REDIS.topology());
            try (store;
                    ClockedEngine application =
                            new ClockedEngine(store.connect(), Application.settings(RedisScenario.LONG_LEASE))) {
                LockHandle held = application.locks().acquire(prefix + "held");
                letPass(OLD_ENOUGH);
                RedisServer after = promoteAnother();
                String lockKey = "lock:{" + prefix + "held}";
                await().until(() -> after.commands().pexpire(lockKey, 60_000));

                application.passUntilTheRenewal(RedisScenario.LONG_LEASE);

                application.passUntil(() -> after.commands().pttl(lockKey) > 60_000);
                assertThat(held.isHeld()).isTrue();
                assertThat(held.release()).isEqualTo(ReleaseOutcome.RELEASED);
            }
        }

        /** As a failover does that ends no connection. */
        private static RedisServer promoteAnother() {
            RedisServer before = REDIS.topology().master();
            RedisServer after = REDIS.topology().replicas().get(0);
            after.commands().replicaofNoOne();
            before.commands().replicaof(after.host(), after.port());
            return after;
        }
    }

    private List<CompletableFuture<LockHandle>> acquire(Application application, int locks) {
        return IntStream.range(0, locks)
                .mapToObj(i -> application
                        .locks()
                        .acquireAsync(LockRequest.of(prefix + i).maxWait(Patience.TIME)))
                .toList();
    }

    private static void isGranted(CompletableFuture<LockHandle> waiting) {
        assertThat(waiting.orTimeout(Patience.SECONDS, TimeUnit.SECONDS).handle((lock, failure) -> failure))
                .succeedsWithin(Patience.TIME)
                .isNull();
    }

    private static void loop(RedisServer server) {
        with(server, commands -> {
            try {
                commands.eval(LOOP, ScriptOutputType.STATUS);
            } catch (RedisException e) {
                // Killed.
            }
        });
    }

    private static boolean isBusy(RedisServer server) {
        try {
            server.commands().get("any");
            return false;
        } catch (RedisException e) {
            return String.valueOf(e.getMessage()).startsWith("BUSY");
        }
    }

    /** On a connection of its own. */
    private static void with(RedisServer server, Consumer<RedisCommands<String, String>> action) {
        try (RedisClient client = RedisClient.create(server.uri())) {
            action.accept(client.connect().sync());
        }
    }

    private static void letPass(Duration time) {
        await().pollDelay(time).atMost(time.plus(Patience.TIME)).until(() -> true);
    }
}
