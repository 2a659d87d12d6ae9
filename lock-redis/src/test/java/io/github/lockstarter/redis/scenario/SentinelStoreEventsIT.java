package io.github.lockstarter.redis.scenario;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockBackendException;
import io.github.lockstarter.StoreEvent;
import io.github.lockstarter.StoreEvent.Reachable;
import io.github.lockstarter.StoreEvent.RecoveryEnded;
import io.github.lockstarter.StoreEvent.RecoveryStarted;
import io.github.lockstarter.StoreEvent.Unreachable;
import io.github.lockstarter.contract.Application;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.kit.redis.RedisSentinels;
import io.github.lockstarter.kit.redis.RedisServer;
import io.github.lockstarter.kit.redis.TopologyExtension;
import io.github.lockstarter.redis.contract.RedisStore;
import io.github.lockstarter.testing.Effort;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Events of listeners during a failover. */
@Timeout(120)
@Tag(Effort.FULL)
class SentinelStoreEventsIT {

    @RegisterExtension
    static final TopologyExtension<RedisSentinels> REDIS = TopologyExtension.sentinels();

    @Test
    void reportsAFailoverOnceAndItsEndOnce() {
        try (RedisStore store = RedisStore.of(REDIS.topology()).with(RedisStore.guarding(ofSeconds(3)));
                Application application = Application.over(store.connect())) {
            acquireOnceItIsGranted(application);
            // Other tests may have promoted the server: then it recovers for this newcomer.
            await().atMost(Patience.TIME)
                    .until(() ->
                            count(application, RecoveryStarted.class, 0) == count(application, RecoveryEnded.class, 0));
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
                            .endsWith(" was restarted or replaced by another server"));
        }
    }

    private static long count(Application application, Class<? extends StoreEvent> kind, int from) {
        return application.events().ofStore().stream()
                .skip(from)
                .filter(kind::isInstance)
                .count();
    }

    private static void acquireOnceItIsGranted(Application application) {
        await().atMost(Patience.TIME)
                .ignoreExceptionsInstanceOf(LockBackendException.class)
                .untilAsserted(
                        () -> application.locks().acquire("failover:events").close());
    }
}
