package io.github.lockstarter.redis.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockBackendException;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.contract.Application;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.kit.redis.RedisSentinels;
import io.github.lockstarter.kit.redis.RedisServer;
import io.github.lockstarter.kit.redis.TopologyExtension;
import io.github.lockstarter.redis.contract.RedisStore;
import io.github.lockstarter.testing.Effort;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Locks can be taken again soon after sentinels have promoted a replica, however the master was lost. */
@Timeout(300)
class SentinelFailoverIT {

    @RegisterExtension
    static final TopologyExtension<RedisSentinels> REDIS = TopologyExtension.sentinels();

    private final String key = "failover:" + UUID.randomUUID();
    private RedisStore store;
    private Application application;
    private Application other;

    @BeforeEach
    void connect() {
        store = RedisStore.of(REDIS.topology()).with(RedisStore.hasty(Duration.ZERO));
        application = Application.over(store.connect());
        other = Application.over(store.connect());
        // The first connection of a JVM may take longer than a command may.
        await().atMost(Patience.TIME).untilAsserted(() -> {
            locksAgain(application);
            locksAgain(other);
        });
    }

    @AfterEach
    void close() {
        REDIS.topology().servers().forEach(RedisServer::resume);
        application.close();
        other.close();
        store.close();
    }

    @Test
    void acquiresAgainAfterTheMasterDied() {
        RedisServer master = REDIS.topology().master();
        master.kill();
        REDIS.topology().awaitPromotion(master);
        await().atMost(Patience.TIME).untilAsserted(() -> locksAgain(application));
    }

    @Test
    @Tag(Effort.FULL)
    void acquiresAgainWhenTheMasterHangs() {
        RedisServer master = REDIS.topology().master();
        master.pause();
        // A hung server is only detected by a command.
        CompletableFuture<Void> asking = CompletableFuture.runAsync(() -> {
            for (int i = 0; i < 3; i++) {
                application
                        .locks()
                        .acquireAsync(LockRequest.of("asked:" + i))
                        .exceptionally(e -> null)
                        .join();
            }
        });
        REDIS.topology().awaitPromotion(master);
        await().atMost(Patience.TIME).untilAsserted(() -> locksAgain(application));
        asking.orTimeout(Patience.SECONDS, TimeUnit.SECONDS).join();
    }

    @Test
    @Tag(Effort.FULL)
    void acquiresAgainAfterAnOrderlyFailover() {
        REDIS.topology().failOver();
        await().atMost(Patience.TIME).untilAsserted(() -> locksAgain(application));
    }

    @Test
    @Tag(Effort.FULL)
    void receivesSignalsFromTheNewMaster() {
        RedisServer master = REDIS.topology().master();
        master.kill();
        REDIS.topology().awaitPromotion(master);
        await().atMost(Patience.TIME).untilAsserted(() -> {
            locksAgain(application);
            locksAgain(other);
        });
        LockHandle held = RedisScenario.acquired(application, LockRequest.of(key));
        CompletableFuture<LockHandle> waiting =
                other.locks().acquireAsync(LockRequest.of(key).maxWait(Patience.TIME));
        // On a busy machine, sentinels may promote both replicas, one after the other, and not agree at once.
        await().untilAsserted(() -> {
            assertThat(waiting).isNotDone();
            assertThat(REDIS.topology().servers())
                    .filteredOn(RedisServer::answers)
                    .anySatisfy(server -> assertThat(server.commands().zcard("lock:{" + key + "}:waiters"))
                            .isEqualTo(1));
        });
        held.close();
        waiting.orTimeout(Patience.SECONDS, TimeUnit.SECONDS).join().close();
    }

    private static void locksAgain(Application application) {
        String any = "any:" + UUID.randomUUID();
        try (LockHandle lock = application.locks().acquire(any)) {
            assertThat(lock.isHeld()).isTrue();
        } catch (LockBackendException e) {
            throw new AssertionError(e);
        }
    }
}
