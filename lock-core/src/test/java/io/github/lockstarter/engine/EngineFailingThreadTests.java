package io.github.lockstarter.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockListener;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockTemplate;
import io.github.lockstarter.ReleaseOutcome;
import io.github.lockstarter.engine.settings.EngineClock;
import io.github.lockstarter.engine.settings.EngineSettings;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.local.LocalLockBackend;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntConsumer;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A caller's thread that fails at any of the places where the engine looks at the clock on it, while it acquires,
 * extends and releases: whatever it had, or was about to get, is free at the end of a lease.
 */
@Timeout(180)
class EngineFailingThreadTests {

    private static final ThreadLocal<FailingClock> OF_THIS_THREAD = new ThreadLocal<>();
    private static final String ONE_KEY = "order:42";
    private static final LockRequest ONE = LockRequest.of(ONE_KEY);

    /** Of the clocks of engine and store. */
    private final AtomicLong ahead = new AtomicLong();

    private final LocalLockBackend backend = new LocalLockBackend(() -> System.nanoTime() + ahead.get());
    private final LockEngine engine =
            new LockEngine(backend, EngineSettings.DEFAULTS, List.of(), new EngineClock(this::nanos, Instant::now));
    private final LockTemplate locks = new LockTemplate(engine);

    private boolean entersAgain;
    private Duration minimum = Duration.ZERO;

    private volatile FailingClock ofDeliveries;

    /** The clock reading at which a thread fails once. */
    private static final class FailingClock {
        private final int failsAt;
        private final Supplier<Error> failure;
        private int looks;

        FailingClock(int failsAt, Supplier<Error> failure) {
            this.failsAt = failsAt;
            this.failure = failure;
        }

        synchronized void look() {
            if (looks++ == failsAt) {
                throw failure.get();
            }
        }
    }

    private long nanos() {
        boolean delivering = Thread.currentThread().getName().startsWith("lock-async");
        FailingClock clock = delivering ? ofDeliveries : OF_THIS_THREAD.get();
        if (clock != null) {
            clock.look();
        }
        return System.nanoTime() + ahead.get();
    }

    @AfterEach
    void stop() {
        engine.close();
        backend.close();
    }

    @Test
    void aThreadThatRunsOutOfMemoryLeavesNoLockHeld() throws Exception {
        failEverywhere(() -> new OutOfMemoryError("planted"));
    }

    @Test
    void aReenteringThreadThatRunsOutOfMemoryLeavesNoLockHeld() throws Exception {
        entersAgain = true;
        failEverywhere(() -> new OutOfMemoryError("planted"));
    }

    @Test
    void aThreadThatRunsOutOfMemoryLeavesNoLockWithAMinimumHoldHeld() throws Exception {
        minimum = Duration.ofMillis(20);
        failEverywhere(() -> new OutOfMemoryError("planted"));
    }

    @Test
    void aDeliveryThatRunsOutOfMemoryLeavesNoLockWithAMinimumHoldHeld() throws Exception {
        minimum = Duration.ofMillis(20);
        failEverywhere(() -> new OutOfMemoryError("planted"), this::acquireAsync);
    }

    @Test
    void aListenerCanReenterALockThatItsThreadIsAcquiring() {
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

        LockHandle held = other.acquire(ONE);

        assertThat(entries).hasValue(1);
        assertThat(held.isHeld()).isTrue();
        assertThat(held.release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(other.heldLocks().snapshot()).isEmpty();
        other.close();
    }

    @Test
    void grantsALockWhenTheTimerThreadCannotBeStarted() {
        LockEngine other = engineWith(new TimerThread(EngineClock.SYSTEM, work -> {
            throw new OutOfMemoryError("unable to create native thread (planted)");
        }));
        CompletableFuture<ReleaseOutcome> released = CompletableFuture.supplyAsync(
                () -> other.acquire(ONE.withoutWaiting()).release(), EngineInterleavings::onNewThread);

        assertThat(released).succeedsWithin(Patience.TIME).isEqualTo(ReleaseOutcome.RELEASED);
        other.close();
    }

    private static LockEngine engineWith(EngineTimer timer) {
        EngineEnvironment usual = EngineEnvironment.of(EngineClock.SYSTEM);
        EngineEnvironment environment = new EngineEnvironment(
                usual.clock(),
                any -> timer,
                usual.newLossExecutor(),
                usual.newCallbackExecutor(),
                usual.newCompletionExecutor(),
                usual.identity(),
                usual.jitter());
        return new LockEngine(new LocalLockBackend(System::nanoTime), EngineSettings.DEFAULTS, List.of(), environment);
    }

    @Test
    void aThreadThatFailsUnexpectedlyLeavesNoLockHeld() throws Exception {
        failEverywhere(() -> new AssertionError("planted"));
    }

    private void failEverywhere(Supplier<Error> failure) throws Exception {
        failEverywhere(failure, this::execute);
    }

    private void failEverywhere(Supplier<Error> failure, IntConsumer section) throws Exception {
        int places = 0;
        while (failsAt(places, failure, section)) {
            places++;
        }
        assertThat(places).isGreaterThan(5);
        ahead.addAndGet(EngineSettings.DEFAULTS.lease().toNanos());
        for (int place = 0; place < places; place++) {
            engine.acquire(both(place).maxWait(Patience.TIME)).release();
        }
        await().untilAsserted(() -> assertThat(engine.heldLocks().size()).isZero());
    }

    private LockRequest both(int place) {
        return LockRequest.ofAll(List.of("order:1:" + place, "order:2:" + place))
                .minHold(minimum);
    }

    private LockRequest second(int place) {
        return LockRequest.of("order:2:" + place).minHold(minimum);
    }

    private boolean failsAt(int place, Supplier<Error> failure, IntConsumer section) throws Exception {
        AtomicBoolean reached = new AtomicBoolean();
        FailingClock clock = new FailingClock(place, () -> {
            reached.set(true);
            return failure.get();
        });
        ofDeliveries = clock;
        FutureTask<Void> work = new FutureTask<>(
                () -> {
                    OF_THIS_THREAD.set(clock);
                    section.accept(place);
                },
                null);
        Thread thread = new Thread(work, "failing-at-" + place);
        thread.setDaemon(true);
        thread.start();
        thread.join(Patience.TIME.toMillis());
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
                handle.extend(LockRequest.ofAll(handle.keys()).lease(Duration.ofSeconds(20)));
                locks.execute(second(place), () -> {});
            });
        } catch (OutOfMemoryError planted) {
            if (entersAgain) {
                ahead.addAndGet(EngineSettings.DEFAULTS.lease().toNanos());
                locks.execute(both(place), () -> {});
            }
            throw planted;
        }
    }

    private void acquireAsync(int place) {
        LockHandle held = engine.acquireAsync(second(place))
                .orTimeout(Patience.TIME.toMillis(), TimeUnit.MILLISECONDS)
                .join();
        try {
            held.reenter(second(place)).ifPresent(LockHandle::release);
        } finally {
            held.release();
        }
    }
}
