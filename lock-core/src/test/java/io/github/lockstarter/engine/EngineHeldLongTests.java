package io.github.lockstarter.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockListener;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.engine.settings.EngineClock;
import io.github.lockstarter.engine.settings.EngineSettings;
import io.github.lockstarter.engine.settings.EngineSettings.Overrides;
import io.github.lockstarter.local.LocalLockBackend;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Which holds the listeners hear of, since they last long, and when. */
class EngineHeldLongTests {

    private static final Duration WARN_AFTER = Duration.ofMillis(100);

    private final List<LockEvent.HeldLong> heard = new CopyOnWriteArrayList<>();
    private final LockListener listener = new LockListener() {
        @Override
        public void onHeldLong(LockEvent.HeldLong event) {
            heard.add(event);
        }
    };
    private final LocalLockBackend backend = new LocalLockBackend();
    private final LockEngine engine = engine(Duration.ofSeconds(30), WARN_AFTER);

    private LockEngine engine(Duration lease, Duration warnAfter) {
        EngineSettings defaults = EngineSettings.DEFAULTS;
        Overrides never =
                new Overrides(Optional.empty(), Optional.empty(), Optional.empty(), Optional.of(Duration.ZERO));
        EngineSettings settings = new EngineSettings(
                lease,
                defaults.maxLease(),
                defaults.maxWait(),
                defaults.retry(),
                defaults.watchdog(),
                defaults.handOver(),
                Map.of("nightly", never));
        return new LockEngine(backend, settings.withWarnAfter(warnAfter), List.of(listener), EngineClock.SYSTEM);
    }

    @AfterEach
    void close() {
        engine.close();
        backend.close();
    }

    @Test
    void comeOnceWhenTheTimeIsOverLongBeforeTheFirstRenewal() {
        LockHandle handle = engine.acquire(LockRequest.of("order:42").named("ship"));

        await().untilAsserted(() -> assertThat(heard).isNotEmpty());
        await().during(Duration.ofMillis(300))
                .untilAsserted(() -> assertThat(heard).hasSize(1));
        assertThat(heard.get(0).name()).isEqualTo("ship");
        assertThat(heard.get(0).key()).isEqualTo("order:42");
        assertThat(heard.get(0).fencingToken()).isEqualTo(handle.fencingToken());
        assertThat(heard.get(0).thread()).contains(Thread.currentThread());
        assertThat(heard.get(0).held()).isBetween(WARN_AFTER, Duration.ofSeconds(5));
        assertThat(handle.isHeld()).isTrue();
    }

    @Test
    void comeOnceForAHoldThatIsRenewedMeanwhile() {
        try (LockEngine renewing = engine(Duration.ofMillis(300), WARN_AFTER)) {
            LockHandle handle = renewing.acquire(LockRequest.of("order:43"));

            await().pollDelay(Duration.ofMillis(600))
                    .untilAsserted(() -> assertThat(heard).hasSize(1));
            assertThat(handle.isHeld()).isTrue();
        }
    }

    @Test
    void areNoneThatEndInTimeOrWhoseNameHasNoTime() {
        engine.acquire(LockRequest.of("report").named("nightly"));
        for (int i = 0; i < 100; i++) {
            engine.acquire(LockRequest.of("short")).release();
        }
        engine.acquire(LockRequest.of("order:42"));

        await().untilAsserted(() -> assertThat(heard).isNotEmpty());
        assertThat(heard).extracting(LockEvent.HeldLong::key).containsExactly("order:42");
    }

    @Test
    void nameTheThreadThatAcquiredForAHandleAndNoneOfAnAsynchronousAcquisition() {
        engine.acquire(LockRequest.of("of-handle").ownedByHandle());
        await().untilAsserted(() -> assertThat(heard).hasSize(1));
        engine.acquireAsync(LockRequest.of("async")).join();
        await().untilAsserted(() -> assertThat(heard).hasSize(2));

        assertThat(heard.get(0).thread()).contains(Thread.currentThread());
        assertThat(heard.get(1).thread()).isEmpty();
    }
}
