package io.github.lockstarter.redis.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockBackendException;
import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.ReleaseOutcome;
import io.github.lockstarter.contract.Application;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.kit.redis.RedisServer;
import io.github.lockstarter.redis.contract.RedisStore;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A server that is killed with held locks and restarts, with and without its data. */
@Timeout(300)
class RedisRestartIT {

    private static final Duration LEASE = RedisScenario.LONG_LEASE;
    private static final LockRequest REQUEST =
            LockRequest.of("scenario:restart").lease(LEASE);

    private final AtomicInteger losses = new AtomicInteger();

    @Test
    void reportsALossWhenTheDataIsLostWithoutTheGuard() {
        try (RedisServer server = RedisServer.start();
                RedisStore store = new RedisStore(server.uri()).with(RedisStore.WITHOUT_GRACE);
                ClockedEngine application = new ClockedEngine(store.connect(), Application.settings(LEASE))) {
            LockHandle held = acquireCountingLosses(application);

            server.kill();
            server.restart();
            application.passUntilTheRenewal(LEASE);

            application.passUntil(() -> losses.get() == 1);
            assertThat(application.events().of(LockEvent.Lost.class))
                    .singleElement()
                    .extracting(LockEvent.Lost::cause)
                    .isNotEqualTo(LockEvent.LossCause.LEASE_EXPIRED);
            assertThat(held.isHeld()).isFalse();
            assertThat(held.release()).isEqualTo(ReleaseOutcome.LOST);
            assertThat(acquireOnceItIsBack(application)).isGreaterThan(held.fencingToken());
            assertThat(losses).hasValue(1);
        }
    }

    @Test
    void keepsTheLockThroughARestartWithPersistence() {
        try (RedisServer server = RedisServer.start("--appendonly", "yes", "--appendfsync", "always");
                RedisStore store = new RedisStore(server.uri());
                ClockedEngine application = new ClockedEngine(store.connect(), Application.settings(LEASE))) {
            LockHandle held = acquireCountingLosses(application);

            server.kill();
            server.restart();
            application.passUntilTheRenewal(LEASE);

            application.passUntil(() -> application.events().of(LockEvent.Renewed.class).stream()
                    .anyMatch(renewed -> renewed.outcome() == LockEvent.RenewalOutcome.RENEWED));
            assertThat(held.isHeld()).isTrue();
            assertThat(losses).hasValue(0);
            assertThat(held.release()).isEqualTo(ReleaseOutcome.RELEASED);
            assertThat(acquireOnceItIsBack(application)).isGreaterThan(held.fencingToken());
        }
    }

    private LockHandle acquireCountingLosses(ClockedEngine application) {
        LockHandle held = application.locks().acquire(REQUEST);
        held.onLost(losses::incrementAndGet);
        return held;
    }

    private static long acquireOnceItIsBack(ClockedEngine application) {
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
