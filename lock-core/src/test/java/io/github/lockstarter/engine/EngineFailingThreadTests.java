package io.github.lockstarter.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.HeldLock;
import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockListener;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockTemplate;
import io.github.lockstarter.OnLost;
import io.github.lockstarter.ReleaseOutcome;
import io.github.lockstarter.engine.settings.EngineClock;
import io.github.lockstarter.engine.settings.EngineSettings;
import io.github.lockstarter.local.LocalLockBackend;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A caller's thread that fails at any of the places where the engine looks at the clock on it, while it acquires,
 * extends and releases: whatever it had, or was about to get, is free afterwards.
 */
@Timeout(60)
class EngineFailingThreadTests {

    private static final ThreadLocal<FailingClock> OF_THIS_THREAD = new ThreadLocal<>();
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final LocalLockBackend backend = new LocalLockBackend(System::nanoTime);
    private final LockEngine engine =
            new LockEngine(backend, EngineSettings.DEFAULTS, List.of(), new EngineClock(this::nanos, Instant::now));
    private final LockTemplate locks = new LockTemplate(engine, OnLost.THROW);

    private boolean entersAgain;

    /** The look at the clock at which a thread fails, once. */
    private static final class FailingClock {
        private final int failsAt;
        private final Supplier<Error> failure;
        private int looks;

        FailingClock(int failsAt, Supplier<Error> failure) {
            this.failsAt = failsAt;
            this.failure = failure;
        }

        void look() {
            if (looks++ == failsAt) {
                throw failure.get();
            }
        }
    }

    private long nanos() {
        FailingClock clock = OF_THIS_THREAD.get();
        if (clock != null) {
            clock.look();
        }
        return System.nanoTime();
    }

    @AfterEach
    void stop() {
        engine.close();
        backend.close();
    }

    @Test
    void nothingStaysHeldOfAThreadThatRunsOutOfMemory() throws Exception {
        failEverywhere(() -> new OutOfMemoryError("planted"));
    }

    @Test
    void nothingStaysHeldOfAThreadThatRunsOutOfMemoryAndEntersAgain() throws Exception {
        entersAgain = true;
        failEverywhere(() -> new OutOfMemoryError("planted"));
    }

    @Test
    void aListenerMayEnterWhatItsThreadIsAboutToTake() {
        AtomicReference<LockEngine> entered = new AtomicReference<>();
        AtomicInteger entries = new AtomicInteger();
        LockListener entering = event -> {
            if (event instanceof LockEvent.Acquired) {
                entered.get().acquire(LockRequest.of(event.key())).release();
                entries.incrementAndGet();
            }
        };
        LockEngine other = new LockEngine(
                new LocalLockBackend(System::nanoTime), EngineSettings.DEFAULTS, List.of(entering), EngineClock.SYSTEM);
        entered.set(other);

        LockHandle held = other.acquire(LockRequest.of("order:42"));

        assertThat(entries).hasValue(1);
        assertThat(held.isHeld()).isTrue();
        assertThat(held.release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(other.heldLocks().snapshot()).isEmpty();
        other.close();
    }

    @Test
    void nothingStaysHeldOfAThreadThatFailsUnexpectedly() throws Exception {
        failEverywhere(() -> new AssertionError("planted"));
    }

    private void failEverywhere(Supplier<Error> failure) throws Exception {
        int places = 0;
        while (failsAt(places, failure)) {
            places++;
        }
        assertThat(places).isGreaterThan(10);
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(engine.heldLocks().snapshot())
                        .extracting(HeldLock::owner)
                        .as("threads that have ended and hold locks")
                        .isEmpty());
        for (int place = 0; place < places; place++) {
            engine.acquire(both(place).withoutWaiting()).close();
        }
    }

    private static LockRequest both(int place) {
        return LockRequest.ofAll(List.of("order:1:" + place, "order:2:" + place));
    }

    private boolean failsAt(int place, Supplier<Error> failure) throws Exception {
        AtomicBoolean reached = new AtomicBoolean();
        FutureTask<Void> work = new FutureTask<>(
                () -> {
                    OF_THIS_THREAD.set(new FailingClock(place, () -> {
                        reached.set(true);
                        return failure.get();
                    }));
                    execute(place);
                },
                null);
        Thread thread = new Thread(work, "failing-at-" + place);
        thread.setDaemon(true);
        thread.start();
        thread.join(PATIENCE.toMillis());
        assertThat(thread.getStackTrace()).as("stack of " + thread.getName()).isEmpty();
        try {
            work.get();
        } catch (ExecutionException planted) {
            assertThat(reached).as(place + ": " + planted).isTrue();
        }
        return reached.get();
    }

    private void execute(int place) {
        try {
            locks.execute(both(place), () -> {
                LockHandle handle = LockHandle.current().orElseThrow();
                handle.extend(LockRequest.ofAll(handle.keys()).leasedFor(Duration.ofSeconds(20)));
                locks.execute(LockRequest.of("order:2:" + place), () -> {});
            });
        } catch (OutOfMemoryError planted) {
            if (entersAgain) {
                locks.execute(both(place), () -> {});
            }
            throw planted;
        }
    }
}
