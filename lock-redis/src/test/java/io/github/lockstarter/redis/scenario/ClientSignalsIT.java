package io.github.lockstarter.redis.scenario;

import static io.github.lockstarter.redis.BackendUser.KEY;
import static io.github.lockstarter.redis.BackendUser.answer;
import static io.github.lockstarter.redis.BackendUser.token;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockAdmin.StoreState;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.contract.Application;
import io.github.lockstarter.engine.settings.EngineSettings;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.redis.BackendUser;
import io.github.lockstarter.redis.RecordedSignals;
import io.github.lockstarter.redis.RedisLockBackend;
import io.github.lockstarter.redis.connection.RoutingProxy;
import io.github.lockstarter.redis.connector.DirectRedisConnector;
import io.github.lockstarter.redis.contract.RedisStore;
import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireCommand.Waiting;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.ReleaseCommand;
import io.github.lockstarter.spi.ReleaseCommand.Wait;
import io.github.lockstarter.spi.ReleaseResult;
import io.github.lockstarter.spi.Slots;
import io.lettuce.core.RedisURI;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A server that refuses {@code PUBLISH} inside scripts: the client that releases a lock publishes its signal. */
class ClientSignalsIT extends RedisScenario {

    private static final EngineSettings USUAL = Application.settingsThatTrustSignals();

    /** No sooner than after four minutes. */
    private static final EngineSettings HARDLY_RETRYING = new EngineSettings(
            USUAL.terms(),
            USUAL.maxLease(),
            Duration.ofHours(1),
            USUAL.handover(),
            USUAL.shownPlace(),
            USUAL.warnAfter(),
            Map.of());

    private final RecordedSignals signals = new RecordedSignals();
    private RoutingProxy proxy;

    @BeforeEach
    void refusePublishToScripts() throws IOException {
        proxy = new RoutingProxy(
                List.of(server()), true, script -> script.replace("redis.pcall('PUBLISH'", "redis.pcall('REFUSED'"));
    }

    @AfterEach
    void closeProxy() throws IOException {
        proxy.close();
    }

    private RedisURI uri() {
        return RedisURI.create("127.0.0.1", proxy.port());
    }

    private RedisLockBackend backend() {
        return new RedisLockBackend(new DirectRedisConnector(uri(), settings()), settings());
    }

    @Test
    void aReleaseWakesAWaiterOfAnotherInstance() throws Exception {
        assertWakesAWaiter(true);
    }

    /** The control. */
    @Test
    void aReleaseWakesNobodyIfTheClientMayNotPublishEither() throws Exception {
        assertWakesAWaiter(false);
    }

    private void assertWakesAWaiter(boolean mayPublish) throws Exception {
        try (RedisStore store = new RedisStore(uri()).with(settings());
                Application owner = Application.over(store.connect(), HARDLY_RETRYING);
                Application waiter = Application.over(store.connect(), HARDLY_RETRYING)) {
            store.start();
            LockRequest patient = request.lease(LONG_LEASE).maxWait(Patience.TIME.multipliedBy(2));
            LockHandle held = owner.locks().acquire(patient);
            Future<LockHandle> next = elsewhere(() -> waiter.locks().acquire(patient));
            awaitWaiting();
            if (!mayPublish) {
                server().grantDefaultUser("-publish");
            }

            held.close();

            if (!mayPublish) {
                await().atMost(Patience.TIME).until(() -> !stateOf(owner).hearsSignals());
                assertThat(stateOf(owner).warnings()).anyMatch(warning -> warning.contains("(signals none)"));
                letPass(Duration.ofSeconds(1));
                assertThat(next).isNotDone();
                redis().pubsubChannels("lock:mailbox:*").forEach(mailbox -> redis().publish(mailbox, key));
            }
            resultOf(next).close();
        }
    }

    private static StoreState stateOf(Application application) {
        return answer(application.admin().storeState());
    }

    @Test
    void healthShowsWhoPublishes() {
        try (RedisLockBackend backend = backend()) {
            backend.listen("a", signals);
            backend.start();

            StoreState state = answer(backend.state());
            assertThat(state.hearsSignals()).isTrue();
            assertThat(state.warnings())
                    .singleElement()
                    .asString()
                    .contains("refuses PUBLISH inside scripts", "(signals by-client)");
            assertThat(backend.crashDetection().orElseThrow().hearsSignals())
                    .as("so that waiters may rely on signals")
                    .isFalse();
            assertThat(redis().keys("*start-check*")).isEmpty();
        }
    }

    @Test
    void findsOutAfterAStartWithoutTheServer() {
        try (RedisLockBackend backend = backend()) {
            backend.listen("b", signals);
            BackendUser user = new BackendUser(backend);
            user.granted(token("a", 1));
            user.waitFor(token("b", 1));
            user.release(token("a", 1), 0);
            await().untilAsserted(() -> assertThat(signals.keys()).containsExactly(KEY));
            assertThat(backend.warnings()).anyMatch(warning -> warning.contains("(signals by-client)"));
        }
    }

    @Test
    void signalsTheNextInstanceIfTheLongestWaitingOneIsGone() {
        try (RedisLockBackend backend = backend()) {
            backend.listen("b", signals);
            BackendUser user = new BackendUser(backend);
            user.granted(token("a", 1));
            for (int i = 0; i < 3; i++) {
                user.waitFor(token("dead" + i, 1));
            }
            user.waitFor(token("b", 1));
            user.waitFor(token("c", 1));

            assertThat(user.release(token("a", 1), 0)).isEqualTo(new ReleaseResult.Released(1));

            await().untilAsserted(() -> assertThat(signals.keys()).containsExactly(KEY));
            assertThat(redis().zrange("lock:{" + KEY + "}:waiters", 0, -1)).containsExactly("c");
        }
    }

    @Test
    void signalsNobodyElseIfTheLockHasAnOwnerAgain() {
        try (RedisLockBackend backend = backend()) {
            backend.listen("b", signals);
            BackendUser user = new BackendUser(backend);
            user.granted(token("a", 1));
            user.waitFor(token("dead", 1));
            user.waitFor(token("b", 1));
            backend.releaseToken(new ReleaseCommand(KEY, token("a", 1), 0));
            user.granted(token("dead", 2)); // on its way to the server in front of the next signal

            user.release(token("dead", 2), 0);

            await().untilAsserted(() -> assertThat(signals.keys()).containsExactly(KEY));
        }
    }

    @Test
    void anInstanceThatStillWaitsKeepsItsPlaceBehindTheSignalledOne() {
        try (RedisLockBackend backend = backend()) {
            backend.listen("b", signals);
            BackendUser user = new BackendUser(backend);
            user.granted(token("a", 1));
            user.waitFor(token("b", 1));

            assertThat(answer(backend.releaseToken(new ReleaseCommand(
                            KEY, token("a", 1), 0, new Wait.GoesOn(BackendUser.LEASE), Duration.ZERO, Slots.ONLY))))
                    .isEqualTo(new ReleaseResult.Released(1));

            await().untilAsserted(() -> assertThat(signals.keys()).containsExactly(KEY));
            assertThat(redis().zrange("lock:{" + KEY + "}:waiters", 0, -1)).containsExactly("a");
        }
    }

    @Test
    void signalsOfPermitsNameTheSlot() {
        String name = "a b";
        try (RedisLockBackend backend = backend();
                RedisLockBackend other = backend()) {
            RecordedSignals others = new RecordedSignals();
            other.listen("b", others);
            AcquireResult second = null;
            for (int i = 1; i <= 2; i++) {
                second = answer(backend.attemptAcquire(permit(name, "a", i, Optional.empty())));
            }
            int slot = ((AcquireResult.Granted) second).slot();
            assertThat(slot).isOne();
            answer(other.attemptAcquire(permit(name, "b", 1, Optional.of(new Waiting(Waiting.NEW, LONG_LEASE)))));

            answer(backend.releaseToken(new ReleaseCommand(name, token("a", 2), 0).releasing(Slots.one(slot))));

            await().untilAsserted(() -> assertThat(others.slots()).containsExactly(name + "@1"));
        }
    }

    private static AcquireCommand permit(String name, String instance, long sequence, Optional<Waiting> waiting) {
        return new AcquireCommand(
                name, token(instance, sequence), LONG_LEASE, 0, 1, waiting, Duration.ZERO, 2, Optional.empty());
    }
}
