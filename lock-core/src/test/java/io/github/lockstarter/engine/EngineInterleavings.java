package io.github.lockstarter.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockListener;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockTerms;
import io.github.lockstarter.ReleaseOutcome;
import io.github.lockstarter.StoreEvent;
import io.github.lockstarter.engine.settings.EngineClock;
import io.github.lockstarter.engine.settings.EngineSettings;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.testing.SettableClock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.AfterEach;

/** An engine over a {@link ManualBackend}: the test controls every answer. */
abstract class EngineInterleavings {

    static final String KEY = "order:42";
    static final LockRequest REQUEST = LockRequest.of(KEY);

    /** A name whose locks are never taken over. */
    static final String NEVER_TAKEN_OVER = "never-taken-over";

    /** The name of locks whose release waits for no answer. */
    static final String SENT_RELEASE = "sent-release";

    static final Duration TAKEOVER = Duration.ofSeconds(4);

    /** The longest delay between two attempts. */
    static final Duration RETRY_DELAY = EngineSettings.DEFAULTS.maxRetryDelay();

    private static final Set<Class<?>> KEPT_EVENTS = Set.of(
            LockEvent.Acquired.class,
            LockEvent.InDoubt.class,
            LockEvent.Confirmed.class,
            LockEvent.Released.class,
            LockEvent.Lost.class);

    final RuntimeException cause = new RuntimeException("connection reset");

    final ManualBackend backend;
    private final SettableClock time = new SettableClock();
    final AtomicLong wallMillis = new AtomicLong(1_000_000);

    /** Runs whenever the engine reads the clock, on that thread. */
    volatile Runnable onClock = () -> {};

    final EngineClock clock = new EngineClock(this::nanos, () -> Instant.ofEpochMilli(wallMillis.get()));
    final List<LockEvent.Lost> losses = new CopyOnWriteArrayList<>();

    /** The {@link #KEPT_EVENTS}, in the order in which the listener received them. */
    final List<Object> events = new CopyOnWriteArrayList<>();

    final List<LockEvent.Refusal> refusals = new CopyOnWriteArrayList<>();

    final List<StoreEvent> storeEvents = new CopyOnWriteArrayList<>();

    volatile Runnable onContended = () -> {};
    volatile Runnable onAcquired = () -> {};
    volatile Runnable onLostRenewal = () -> {};
    final LockEngine engine;

    EngineInterleavings() {
        this(EngineSettings.Handover.DEFAULTS);
    }

    EngineInterleavings(EngineSettings.Handover handover) {
        this(new ManualBackend(), handover);
    }

    EngineInterleavings(ManualBackend backend, EngineSettings.Handover handover) {
        this.backend = backend;
        engine = new LockEngine(backend, settings(handover), List.of(listener()), environment());
    }

    private long nanos() {
        onClock.run();
        return time.nanos();
    }

    /** Of an engine whose clock the test controls, as that of {@link #engine}. */
    EngineEnvironment environment() {
        return time.environment(clock);
    }

    /** Advances both clocks; the timer notices it at once. */
    void letPass(Duration passed) {
        wallMillis.addAndGet(passed.toMillis());
        time.letPass(passed);
    }

    /** Returns when the timer has done all that is due now. */
    void settle() throws Exception {
        time.settle();
    }

    /** The machine was suspended, and its monotonic clock stood still. */
    void suspend(Duration passed) {
        wallMillis.addAndGet(passed.toMillis());
    }

    private static EngineSettings settings(EngineSettings.Handover handover) {
        EngineSettings defaults = EngineSettings.DEFAULTS;
        return new EngineSettings(
                LockTerms.NONE.crashTakeover(TAKEOVER),
                defaults.maxLease(),
                defaults.maxRetryDelay(),
                handover,
                defaults.shownPlace(),
                defaults.warnAfter(),
                Map.of(
                        NEVER_TAKEN_OVER,
                        LockTerms.NONE.crashTakeover(Duration.ZERO),
                        SENT_RELEASE,
                        LockTerms.NONE.release(LockTerms.Release.SEND)));
    }

    private LockListener listener() {
        return new LockListener() {
            @Override
            public void onEvent(LockEvent event) {
                receive(event);
            }

            @Override
            public void onStoreEvent(StoreEvent event) {
                storeEvents.add(event);
            }
        };
    }

    private void receive(LockEvent event) {
        if (event instanceof LockEvent.Contended) {
            onContended.run();
        } else if (event instanceof LockEvent.NotAcquired refused) {
            refusals.add(refused.refusal());
        } else if (KEPT_EVENTS.contains(event.getClass())) {
            events.add(event);
        }
        if (event instanceof LockEvent.Acquired) {
            onAcquired.run();
        } else if (event instanceof LockEvent.Lost lost) {
            losses.add(lost);
        } else if (event instanceof LockEvent.Renewed renewed && renewed.outcome() == LockEvent.RenewalOutcome.LOST) {
            onLostRenewal.run();
        }
    }

    @AfterEach
    void stop() {
        awaitStop(CompletableFuture.runAsync(engine::stop, EngineInterleavings::onNewThread));
    }

    /** The only loss; listeners receive it on another thread. */
    void awaitLoss(LockEvent.LossCause cause) {
        await().untilAsserted(() -> assertThat(losses)
                .singleElement()
                .extracting(LockEvent.Lost::cause)
                .isEqualTo(cause));
    }

    void awaitStop(CompletableFuture<Void> stopping) {
        await().pollInterval(Duration.ofMillis(2)).until(() -> {
            backend.answerTheRest();
            return stopping.isDone();
        });
    }

    static void onNewThread(Runnable task) {
        new Thread(task).start();
    }

    AcquireResult grant(long firstFencingToken, long othersWaiting) {
        return new AcquireResult.Granted(firstFencingToken, othersWaiting);
    }

    LockHandle granted(LockRequest request, long fencingToken) throws Exception {
        CompletableFuture<LockHandle> acquiring = engine.acquireAsync(request);
        backend.nextAcquire().answer().complete(grant(fencingToken, 0));
        return resultOf(acquiring);
    }

    /** A hold that was contended, so that its grant covers the maximum of fencing tokens. */
    LockHandle waitedFor(LockRequest request, long firstFencingToken, long othersWaiting) throws Exception {
        CompletableFuture<LockHandle> acquiring = engine.acquireAsync(request);
        backend.nextAcquire().answer().complete(contended());
        backend.signal(KEY);
        backend.nextAcquire().answer().complete(grant(firstFencingToken, othersWaiting));
        return resultOf(acquiring);
    }

    static <T> T resultOf(Future<T> future) throws Exception {
        return future.get(Patience.SECONDS, TimeUnit.SECONDS);
    }

    static AbstractThrowableAssert<?, ?> assertFails(Future<?> future, Class<? extends Throwable> cause) {
        return assertThatThrownBy(() -> resultOf(future)).hasCauseInstanceOf(cause);
    }

    static CompletableFuture<ReleaseOutcome> releasing(LockHandle handle) {
        return CompletableFuture.supplyAsync(handle::release, EngineInterleavings::onNewThread);
    }

    static AcquireResult contended() {
        return new AcquireResult.Contended(Optional.of(Duration.ofSeconds(20)), 7);
    }

    static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await(Patience.SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
