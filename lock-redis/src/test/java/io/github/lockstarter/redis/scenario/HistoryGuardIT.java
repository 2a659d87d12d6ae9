package io.github.lockstarter.redis.scenario;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockAdmin.StoreState;
import io.github.lockstarter.LockAdmin.StoredLock;
import io.github.lockstarter.LockBackendException;
import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockStoreRecoveringException;
import io.github.lockstarter.ReleaseOutcome;
import io.github.lockstarter.contract.Application;
import io.github.lockstarter.engine.settings.EngineSettings;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.kit.net.TcpProxy;
import io.github.lockstarter.kit.redis.RedisServer;
import io.github.lockstarter.redis.RedisLockBackend;
import io.github.lockstarter.redis.connector.DirectRedisConnector;
import io.github.lockstarter.redis.connector.RedisConnector;
import io.github.lockstarter.redis.contract.RedisStore;
import io.github.lockstarter.redis.settings.RedisSettings;
import io.github.lockstarter.redis.settings.RedisSettings.Durability;
import io.github.lockstarter.redis.settings.RedisSettings.FirstUse;
import io.github.lockstarter.testing.WarmUp;
import io.lettuce.core.RedisURI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A server that loses its locks while they are held: holders keep them, and no other caller gets one too early. */
@Timeout(300)
class HistoryGuardIT {

    private static final Duration LEASE = ofSeconds(2);
    private static final RedisSettings GUARDED = RedisStore.guarding(LEASE);

    /** Half of it outlasts any pause of the machine. */
    private static final Duration LONG_GRACE = Duration.ofMinutes(10);

    /** Each beat begins a history, too. */
    private static final EngineSettings WITHOUT_BEATS = Application.SETTINGS.withCrashTakeover(Duration.ZERO);

    private static final LockRequest REQUEST =
            LockRequest.of("scenario:history").lease(LEASE).maxWait(Patience.TIME);

    /** How a server loses its data. */
    enum Forgetting {
        RESTART(server -> {
            server.kill();
            server.restart();
        }),
        FLUSHALL(server -> server.commands().flushall());

        @SuppressWarnings("ImmutableEnumChecker") // a lambda without state
        private final Consumer<RedisServer> fault;

        Forgetting(Consumer<RedisServer> fault) {
            this.fault = fault;
        }
    }

    @ParameterizedTest
    @EnumSource
    void doesNotGrantAForgottenLockBeforeItsLeaseIsOver(Forgetting forgetting) {
        assertThat(leaseLeftWhenTheNextOneIsIn(GUARDED, REQUEST, forgetting)).isNegative();
    }

    /** The control: two grants without the guard. */
    @ParameterizedTest
    @EnumSource
    void grantsTwiceWithoutTheGuard(Forgetting forgetting) {
        LockRequest outlivingTheTest = REQUEST.lease(RedisScenario.LONG_LEASE);
        assertThat(leaseLeftWhenTheNextOneIsIn(RedisStore.WITHOUT_GRACE, outlivingTheTest, forgetting))
                .isPositive();
    }

    private static Duration leaseLeftWhenTheNextOneIsIn(
            RedisSettings settings, LockRequest lost, Forgetting forgetting) {
        try (RedisServer server = RedisServer.start();
                RedisStore store = new RedisStore(server.uri()).with(settings);
                Application first = Application.over(store.connect());
                Application second = Application.over(store.connect())) {
            WarmUp.connect(first.locks(), "warm-up");
            WarmUp.connect(second.locks(), "warm-up");
            LockHandle held = first.locks().acquire(lost.withoutRenewal());
            long endsAt = System.nanoTime() + held.remainingLease().toNanos();

            forgetting.fault.accept(server);
            long next = acquireOnceItIsBack(second);

            assertThat(next).isGreaterThan(held.fencingToken());
            return Duration.ofNanos(endsAt - System.nanoTime());
        }
    }

    @ParameterizedTest
    @EnumSource
    void aLiveHolderKeepsAForgottenLock(Forgetting forgetting) {
        Duration lease = RedisScenario.LONG_LEASE;
        AtomicInteger losses = new AtomicInteger();
        try (RedisServer server = RedisServer.start();
                RedisStore store = new RedisStore(server.uri()).with(RedisStore.guarding(lease));
                ClockedEngine first = new ClockedEngine(store.connect(), Application.settings(lease));
                Application second = Application.over(store.connect(), WITHOUT_BEATS)) {
            LockHandle held = first.locks().acquire(REQUEST.lease(lease));
            held.onLost(losses::incrementAndGet);

            forgetting.fault.accept(server);
            first.passUntilTheRenewal(lease);

            first.passUntil(() -> server.commands().exists("lock:{scenario:history}") == 1);
            assertThat(second.locks().tryAcquire(REQUEST.withoutWaiting())).isEmpty();
            assertThat(held.isHeld()).isTrue();
            assertThat(losses).hasValue(0);
            assertThat(held.release()).isEqualTo(ReleaseOutcome.RELEASED);
        }
    }

    @Test
    void theExceptionSaysForHowLongTheServerRecovers() {
        try (RedisServer server = RedisServer.start();
                RedisStore store = new RedisStore(server.uri()).with(RedisStore.guarding(LONG_GRACE));
                Application application = Application.over(store.connect())) {
            LockRequest request = REQUEST.lease(LONG_GRACE);
            application.locks().acquire(request).close();
            server.commands().flushall();
            assertThatThrownBy(() -> application.locks().tryAcquire(request.maxWait(Duration.ZERO)))
                    .isInstanceOfSatisfying(
                            LockStoreRecoveringException.class,
                            refused -> assertThat(refused.retryAfter()).isBetween(LONG_GRACE.dividedBy(2), LONG_GRACE));
            assertThatThrownBy(() -> application.locks().acquire(request.maxWait(ofMillis(300))))
                    .isInstanceOf(LockStoreRecoveringException.class)
                    .hasMessageMatching(
                            "Could not acquire lock 'scenario:history' within 300ms \\(\\d+ attempts?\\): Redis at"
                                    + " \\S+ lost its data, so it grants no free locks for another \\d{3}(\\.\\d)?s \\(the"
                                    + " grace period, by default distributed-lock\\.max-lease\\), since owners of"
                                    + " forgotten locks may still be working\\. There is nothing to do: .* are granted"
                                    + " again");
        }
    }

    /** Even for an instance without requests since. */
    @Test
    void showsAnOperatorForHowLongAFreeLockIsNotGranted() {
        try (RedisServer server = RedisServer.start();
                RedisStore store = new RedisStore(server.uri()).with(RedisStore.guarding(ofSeconds(30)));
                Application application = Application.over(store.connect(), WITHOUT_BEATS);
                Application other = Application.over(store.connect(), WITHOUT_BEATS)) {
            assertThat(recoveringOf(other)).isEqualTo(Duration.ZERO);
            application.locks().acquire(REQUEST).close();
            other.locks().acquire(REQUEST).close();
            assertThat(recoveringOf(other)).isEqualTo(Duration.ZERO);

            server.commands().flushall();
            assertThat(recoveringOf(other)).isEqualTo(ofSeconds(30));
            assertThat(server.commands().exists("lock:history")).isZero();

            assertThatThrownBy(() -> application.locks().tryAcquire(REQUEST.maxWait(Duration.ZERO)))
                    .isInstanceOf(LockStoreRecoveringException.class);
            await().atMost(Patience.TIME)
                    .untilAsserted(() -> assertThat(recoveringOf(other)).isBetween(ofSeconds(15), ofMillis(29_999)));
            assertThat(recoveringOf(application)).isBetween(ofSeconds(15), ofMillis(29_999));
        }
    }

    private static Duration recoveringOf(Application application) {
        StoredLock found = application.admin().inspect("scenario:history").join();
        return ((StoredLock.Free) found).recovering();
    }

    /** The history starts right before the renewal, which then has to wait. */
    @Test
    void renewsOnceADeposedMasterAcceptsNoMoreWrites() {
        Duration lease = RedisScenario.LONG_LEASE;
        RedisSettings settings = new RedisSettings(
                "lock:",
                GUARDED.commandTimeout(),
                new RedisSettings.HistoryGuard(lease, FirstUse.GRANT, ofMillis(600)));
        try (RedisServer server = RedisServer.start();
                RedisStore store = new RedisStore(server.uri()).with(settings);
                ClockedEngine application = new ClockedEngine(store.connect(), Application.settings(lease))) {
            LockHandle held = application.locks().acquire(REQUEST.lease(lease));
            server.commands().flushall();
            LockRequest any = LockRequest.of("any").withoutWaiting();
            assertThatThrownBy(() -> application.locks().tryAcquire(any))
                    .isInstanceOf(LockStoreRecoveringException.class);

            application.passUntilTheRenewal(lease);

            // Before the release: a renewal that is answered after it has begun is not published.
            application.passUntil(
                    () -> !application.events().of(LockEvent.Renewed.class).isEmpty());
            assertThat(application.events().of(LockEvent.Renewed.class))
                    .extracting(LockEvent.Renewed::outcome)
                    .containsOnly(LockEvent.RenewalOutcome.RENEWED);
            assertThat(held.release()).isEqualTo(ReleaseOutcome.RELEASED);
        }
    }

    /** What a durable store survives with all its data. */
    enum Loss {
        FAILOVER {
            @Override
            void replace(RedisServer server, RedisServer replica, TcpProxy proxy) {
                server.kill();
                replica.promote();
                proxy.retarget(replica);
            }
        },
        RESTART {
            @Override
            void replace(RedisServer server, RedisServer replica, TcpProxy proxy) {
                server.kill();
                server.restart();
            }
        };

        abstract void replace(RedisServer server, RedisServer replica, TcpProxy proxy);
    }

    @ParameterizedTest
    @EnumSource
    void grantsFreeLocksOfADurableStoreAtOnce(Loss loss) {
        assertThat(firstAnswerAfter(loss, Durability.DECLARED)).isEqualTo("granted");
    }

    /** The control. */
    @ParameterizedTest
    @EnumSource
    void grantsNoFreeLockAtOnceWithoutTheDeclaration(Loss loss) {
        assertThat(firstAnswerAfter(loss, Durability.UNKNOWN)).isEqualTo("recovering");
    }

    /** To an attempt for a free lock; another one is still held, and its owner knows that in a durable store. */
    private static String firstAnswerAfter(Loss loss, Durability durability) {
        try (RedisServer server = RedisServer.start("--appendonly", "yes", "--appendfsync", "always");
                RedisServer replica = RedisServer.start();
                TcpProxy proxy = TcpProxy.before(server)) {
            replica.follow(server); // its first replica gives a master another history
            await().atMost(Patience.TIME)
                    .until(() -> "up".equals(replica.info("replication").get("master_link_status")));
            return firstAnswerAfter(loss, durability, server, replica, proxy);
        }
    }

    private static String firstAnswerAfter(
            Loss loss, Durability durability, RedisServer server, RedisServer replica, TcpProxy proxy) {
        RedisSettings settings = guarding(durability);
        try (RedisStore store = RedisStore.behind(proxy).with(settings);
                Application first = Application.over(store.connect(), Application.settings(LONG_GRACE));
                Application second = Application.over(store.connect(), Application.settings(LONG_GRACE))) {
            store.start();
            WarmUp.connect(second.locks(), "warm-up");
            LockHandle held = first.locks().acquire(REQUEST.lease(LONG_GRACE));
            await().atMost(Patience.TIME).until(() -> replica.commands().exists("lock:{scenario:history}") == 1);

            loss.replace(server, replica, proxy);

            String answer = firstAnswer(second);
            assertThat(second.locks().tryAcquire(REQUEST.lease(LONG_GRACE).withoutWaiting()))
                    .isEmpty();
            if (durability == Durability.DECLARED) {
                await().atMost(Patience.TIME).until(held::isHeld);
                assertThat(second.admin().storeState().join().guard()).isEqualTo(StoreState.Guard.GUARDED);
            }
            return answer;
        }
    }

    private static String firstAnswer(Application application) {
        LockRequest free = LockRequest.of("free").lease(LONG_GRACE).withoutWaiting();
        return await().atMost(Patience.TIME)
                .pollInSameThread()
                .until(
                        () -> {
                            try {
                                return application.locks().tryAcquire(free).isPresent() ? "granted" : "";
                            } catch (LockStoreRecoveringException e) {
                                return "recovering";
                            } catch (LockBackendException e) { // not connected yet
                                return "";
                            }
                        },
                        answer -> !answer.isEmpty());
    }

    @Test
    void lostDataBeginAGracePeriodDespiteTheDeclaration() {
        try (RedisServer server = RedisServer.start();
                RedisStore store = new RedisStore(server.uri()).with(guarding(Durability.DECLARED));
                Application application = Application.over(store.connect(), WITHOUT_BEATS)) {
            application.locks().acquire(REQUEST).close();
            server.commands().flushall();
            assertThat(firstAnswer(application)).isEqualTo("recovering");
        }
    }

    @Test
    void refusesTheDeclarationForReplicas() {
        RedisSettings settings = guarding(Durability.DECLARED);
        RedisConnector connector = DirectRedisConnector.toMasterAmong(
                List.of(RedisURI.create("localhost", 1), RedisURI.create("localhost", 2)), settings);
        assertThatThrownBy(() -> new RedisLockBackend(connector, settings))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("distributed-lock.redis.durable is true, but replicas of Redis at");
        connector.close();
    }

    /** The owners of its locks may be about to connect again after a failover. */
    @Test
    void nothingIsTakenOverInADurableStore() {
        RedisSettings settings = guarding(Durability.DECLARED);
        RedisConnector connector = new DirectRedisConnector(RedisURI.create("localhost", 1), settings);
        try (RedisLockBackend backend = new RedisLockBackend(connector, settings)) {
            assertThat(backend.crashTakeover().state()).isEqualTo(StoreState.CrashTakeover.State.OFF);
            assertThat(backend.crashDetection()).isEmpty();
        }
    }

    private static RedisSettings guarding(Durability durability) {
        return new RedisSettings(
                "lock:",
                GUARDED.commandTimeout(),
                new RedisSettings.HistoryGuard(LONG_GRACE, FirstUse.GRANT, Duration.ZERO, durability));
    }

    private static long acquireOnceItIsBack(Application application) {
        long[] fencingToken = new long[1];
        await().atMost(Patience.TIME)
                .ignoreExceptionsInstanceOf(LockBackendException.class)
                .untilAsserted(() -> {
                    try (LockHandle lock = application.locks().acquire(REQUEST)) {
                        fencingToken[0] = lock.fencingToken();
                    }
                });
        return fencingToken[0];
    }
}
