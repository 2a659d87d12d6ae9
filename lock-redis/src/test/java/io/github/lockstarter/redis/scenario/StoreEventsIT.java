package io.github.lockstarter.redis.scenario;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockBackendException;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.StoreEvent;
import io.github.lockstarter.StoreEvent.Reachable;
import io.github.lockstarter.StoreEvent.RecoveryEnded;
import io.github.lockstarter.StoreEvent.RecoveryStarted;
import io.github.lockstarter.StoreEvent.Unreachable;
import io.github.lockstarter.contract.Application;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.kit.net.TcpProxy;
import io.github.lockstarter.kit.redis.RedisServer;
import io.github.lockstarter.redis.contract.RedisStore;
import io.github.lockstarter.redis.settings.RedisSettings;
import java.time.Duration;
import java.util.List;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Events of listeners for a server that recovers or is down: one at the start and one at the end. */
@Timeout(60)
class StoreEventsIT {

    private static final Duration LEASE = ofSeconds(2);
    private static final RedisSettings SETTINGS =
            new RedisSettings("lock:", ofSeconds(1), RedisSettings.Guard.of(LEASE));

    @Test
    void reportsLostDataOnceAndTheEndOfTheRecoveryOnceEvenIfNobodyAcquires() {
        try (RedisServer server = RedisServer.start();
                RedisStore store = new RedisStore(server.uri()).with(SETTINGS);
                Application application = Application.over(store.connect())) {
            warmUp(application);
            server.commands().flushall();
            refusedFor(application, 5);
            awaitStoreEvents(application, List.of(RecoveryStarted.class, RecoveryEnded.class));
            assertThat(application.events().ofStore())
                    .first()
                    .asInstanceOf(InstanceOfAssertFactories.type(RecoveryStarted.class))
                    .satisfies(recovery -> {
                        assertThat(recovery.problem()).isEqualTo(recovery.store() + " lost its data");
                        assertThat(recovery.remaining()).isBetween(LEASE.dividedBy(2), LEASE);
                    });
            application.locks().acquire("after").close();
            assertThat(application.events().ofStore()).hasSize(2);
        }
    }

    /** The renewal of a held lock detects it without further requests. */
    @Test
    void aRenewalReportsARecovery() {
        try (RedisServer server = RedisServer.start();
                RedisStore store = new RedisStore(server.uri()).with(SETTINGS);
                Application application = Application.over(store.connect())) {
            warmUp(application);
            LockHandle held = application.locks().acquire(LockRequest.of("held").leasedFor(LEASE));
            server.commands().flushall();
            awaitStoreEvents(application, List.of(RecoveryStarted.class, RecoveryEnded.class));
            assertThat(held.isHeld()).isTrue();
        }
    }

    @Test
    void reportsARestartWithoutDataAsAnOutageAndARecovery() {
        try (RedisServer server = RedisServer.start();
                RedisStore store = new RedisStore(server.uri()).with(SETTINGS);
                Application application = Application.over(store.connect())) {
            warmUp(application);
            server.kill();
            refusedFor(application, 4);
            server.restart();
            acquireOnceItIsGranted(application);
            awaitStoreEvents(
                    application,
                    List.of(Unreachable.class, Reachable.class, RecoveryStarted.class, RecoveryEnded.class));
            assertThat(application.events().ofStore().get(2))
                    .extracting(event -> ((RecoveryStarted) event).problem())
                    .asString()
                    .endsWith(" was restarted or replaced by another server");
        }
    }

    @Test
    void reportsAHangingServerOnceAndItsNextAnswerOnce() {
        try (RedisServer server = RedisServer.start();
                RedisStore store = new RedisStore(server.uri()).with(SETTINGS);
                Application application = Application.over(store.connect())) {
            warmUp(application);
            server.pause();
            refusedFor(application, 4);
            server.resume();
            acquireOnceItIsGranted(application);
            awaitStoreEvents(application, List.of(Unreachable.class, Reachable.class));
            assertThat(((Reachable) application.events().ofStore().get(1)).lasted())
                    .isGreaterThan(ofSeconds(1));
        }
    }

    @Test
    void doesNotReportASingleTimeoutOrABrokenConnection() {
        try (RedisServer server = RedisServer.start();
                TcpProxy proxy = TcpProxy.before(server);
                RedisStore store = RedisStore.behind(proxy).with(SETTINGS);
                Application application = Application.over(store.connect())) {
            warmUp(application);
            proxy.stallReplies();
            assertThatThrownBy(() -> application.locks().tryAcquire("one")).isInstanceOf(LockBackendException.class);
            proxy.flow();
            application.locks().acquire("two").close();
            proxy.cut();
            acquireOnceItIsGranted(application);
            assertThat(application.events().ofStore()).isEmpty();
        }
    }

    @Test
    void doesNotReportLostDataWithoutTheGuard() {
        try (RedisServer server = RedisServer.start();
                RedisStore store = new RedisStore(server.uri()).with(RedisStore.WITHOUT_GRACE);
                Application application = Application.over(store.connect())) {
            warmUp(application);
            server.commands().flushall();
            application.locks().acquire("after").close();
            assertThat(application.events().ofStore()).isEmpty();
        }
    }

    /** On a busy machine the first connection may take longer than a command. */
    private static void warmUp(Application application) {
        acquireOnceItIsGranted(application);
        application.events().forgetStore();
    }

    private static void acquireOnceItIsGranted(Application application) {
        await().atMost(Patience.TIME)
                .ignoreExceptionsInstanceOf(LockBackendException.class)
                .untilAsserted(() -> application.locks().acquire("any").close());
    }

    private static void refusedFor(Application application, int attempts) {
        for (int i = 0; i < attempts; i++) {
            String key = "order:" + i;
            assertThatThrownBy(() -> application.locks().tryAcquire(key)).isInstanceOf(LockBackendException.class);
        }
    }

    private static void awaitStoreEvents(Application application, List<Class<? extends StoreEvent>> kinds) {
        await().atMost(Patience.TIME)
                .untilAsserted(() -> assertThat(application.events().ofStore())
                        .extracting(StoreEvent::getClass)
                        .isEqualTo(kinds));
    }
}
