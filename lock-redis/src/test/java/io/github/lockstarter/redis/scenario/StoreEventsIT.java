package io.github.lockstarter.redis.scenario;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockBackendException;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.StoreEvent;
import io.github.lockstarter.StoreEvent.Reachable;
import io.github.lockstarter.StoreEvent.RecoveryEnded;
import io.github.lockstarter.StoreEvent.RecoveryStarted;
import io.github.lockstarter.StoreEvent.Unreachable;
import io.github.lockstarter.contract.Application;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.kit.net.TcpProxy;
import io.github.lockstarter.kit.redis.RedisSentinels;
import io.github.lockstarter.kit.redis.RedisServer;
import io.github.lockstarter.kit.redis.TopologyExtension;
import io.github.lockstarter.redis.contract.RedisStore;
import io.github.lockstarter.redis.settings.RedisSettings;
import io.github.lockstarter.testing.Effort;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Events of listeners for a server that recovers or is down: one at the start and one at the end. */
@Timeout(300)
class StoreEventsIT {

    private static final Duration LEASE = ofSeconds(2);

    private static final RedisSettings SETTINGS = RedisStore.guarding(LEASE);

    /** The renewal of a held lock detects it without further requests. */
    @Test
    void aRenewalReportsARecovery() {
        try (RedisServer server = RedisServer.start();
                RedisStore store = new RedisStore(server.uri()).with(SETTINGS);
                ClockedEngine application =
                        new ClockedEngine(store.connect(), Application.settings(RedisScenario.LONG_LEASE))) {
            LockHandle held = application.locks().acquire("held");
            server.commands().flushall();
            application.passUntilTheRenewal(RedisScenario.LONG_LEASE);
            application.passUntil(() -> application.events().ofStore().size() > 1);
            assertThat(application.events().ofStore())
                    .extracting(StoreEvent::getClass)
                    .containsExactly(RecoveryStarted.class, RecoveryEnded.class);
            assertThat(held.isHeld()).isTrue();
        }
    }

    @Test
    void doesNotReportABrokenConnection() {
        try (RedisServer server = RedisServer.start();
                TcpProxy proxy = TcpProxy.before(server);
                RedisStore store = RedisStore.behind(proxy);
                Application application = Application.over(store.connect())) {
            warmUp(application);
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

    @Nested
    @Tag(Effort.FULL)
    class WithSentinels {

        @RegisterExtension
        static final TopologyExtension<RedisSentinels> REDIS = TopologyExtension.sentinels();

        @Test
        void reportsAFailoverOnceAndItsEndOnce() {
            try (RedisStore store = RedisStore.of(REDIS.topology()).with(RedisStore.hasty(ofSeconds(3)));
                    Application application = Application.over(store.connect())) {
                acquireOnceItIsGranted(application);
                // Other tests may have promoted the server: then it recovers for this newcomer.
                await().atMost(Patience.TIME)
                        .until(() -> count(application, RecoveryStarted.class, 0)
                                == count(application, RecoveryEnded.class, 0));
                int before = application.events().ofStore().size();

                RedisServer master = REDIS.topology().master();
                master.kill();
                acquireOnceItIsGranted(application);
                await().atMost(Patience.TIME).until(() -> count(application, RecoveryEnded.class, before) > 0);

                List<StoreEvent> received = application.events().ofStore();
                assertThat(count(application, RecoveryStarted.class, before))
                        .as("%s", received)
                        .isEqualTo(1);
                assertThat(count(application, RecoveryEnded.class, before))
                        .as("%s", received)
                        .isEqualTo(1);
                assertThat(count(application, Unreachable.class, before))
                        .as("%s", received)
                        .isEqualTo(1);
                assertThat(count(application, Reachable.class, before))
                        .as("%s", received)
                        .isEqualTo(1);
                assertThat(received.stream().skip(before).filter(RecoveryStarted.class::isInstance))
                        .allSatisfy(recovery -> assertThat(((RecoveryStarted) recovery).problem())
                                .matches(
                                        ".* was restarted, replaced by another server or restored from a snapshot: 127\\.0\\.0\\.1:\\d+"
                                                + " is the master now \\(was 127\\.0\\.0\\.1:" + master.port()
                                                + "\\)"));
            }
        }

        private static long count(Application application, Class<? extends StoreEvent> kind, int from) {
            return application.events().ofStore().stream()
                    .skip(from)
                    .filter(kind::isInstance)
                    .count();
        }
    }
}
