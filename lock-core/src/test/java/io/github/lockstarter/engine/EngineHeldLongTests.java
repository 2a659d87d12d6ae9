package io.github.lockstarter.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockTerms;
import io.github.lockstarter.engine.settings.EngineClock;
import io.github.lockstarter.engine.settings.EngineSettings;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.local.LocalLockBackend;
import io.github.lockstarter.testing.SettableClock;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Reports of long holds to listeners. */
class EngineHeldLongTests {

    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final Duration WARN_AFTER = Duration.ofSeconds(6);

    private final List<LockEvent.HeldLong> received = new CopyOnWriteArrayList<>();

    private final List<LockEvent> events = new CopyOnWriteArrayList<>();

    private volatile Runnable onContended = () -> {};
    private volatile Runnable onHeldLong = () -> {};

    private void receive(LockEvent event) {
        events.add(event);
        if (event instanceof LockEvent.Contended) {
            onContended.run();
        } else if (event instanceof LockEvent.HeldLong heldLong) {
            received.add(heldLong);
            onHeldLong.run();
        }
    }

    /** Runs whenever a watchdog reads the clock. */
    private volatile Runnable onWatchdogsClock = () -> {};

    private final SettableClock time = new SettableClock();
    private final LocalLockBackend backend = new LocalLockBackend(time::nanos);
    private final LockEngine engine = engine(WARN_AFTER);

    private LockEngine engine(Duration warnAfter) {
        EngineSettings defaults = EngineSettings.DEFAULTS;
        EngineSettings settings = new EngineSettings(
                LockTerms.NONE.lease(LEASE),
                defaults.maxLease(),
                defaults.maxRetryDelay(),
                defaults.handover(),
                defaults.shownPlace(),
                warnAfter,
                Map.of("unlimited", LockTerms.NONE.maxHold(LockRequest.MAX_DURATION)));
        EngineClock clock = new EngineClock(this::nanos, time.engineClock().wall());
        return new LockEngine(backend, settings, List.of(this::receive), time.environment(clock));
    }

    private long nanos() {
        if (Thread.currentThread().getName().startsWith("lock-watchdog")) {
            onWatchdogsClock.run();
        }
        return time.nanos();
    }

    @AfterEach
    void close() {
        engine.close();
        backend.close();
    }

    @Test
    void reportsALongHoldOnceEvenBeforeTheFirstRenewal() {
        LockHandle handle = engine.acquire(LockRequest.of("order:42").named("ship"));

        time.letPass(WARN_AFTER);
        await().untilAsserted(() -> assertThat(received).isNotEmpty());
        time.letPass(LEASE.dividedBy(3).minus(WARN_AFTER));
        await().untilAsserted(() -> assertThat(has(LockEvent.Renewed.class)).isTrue());
        assertThat(received).hasSize(1);
        assertThat(received.get(0).name()).isEqualTo("ship");
        assertThat(received.get(0).key()).isEqualTo("order:42");
        assertThat(received.get(0).fencingToken()).isEqualTo(handle.fencingToken());
        assertThat(received.get(0).thread()).contains(Thread.currentThread());
        assertThat(received.get(0).held()).isBetween(WARN_AFTER, LEASE);
        assertThat(handle.isHeld()).isTrue();
    }

    /** A lock that is stuck shows again and again, but ever less often. */
    @Test
    void reportsARenewedHoldAgainEachTimeItsAgeHasDoubled() {
        LockHandle handle = engine.acquire(LockRequest.of("order:43"));

        int[] reports = {1, 2, 3, 3, 4}; // the ages 6, 12, 24 and 48 s are over at the ages 10, 20, 30 and 50 s
        for (int i = 0; i < reports.length; i++) {
            int renewals = i + 1;
            int expected = reports[i];
            time.letPass(LEASE.dividedBy(3));
            await().untilAsserted(() -> {
                assertThat(renewals()).isGreaterThanOrEqualTo(renewals);
                assertThat(received).hasSizeGreaterThanOrEqualTo(expected);
            });
        }
        assertReportedOncePerDoubling();
        assertThat(handle.isHeld()).isTrue();
    }

    @Test
    void reportsALongHoldOnlyOnceAfterAPause() {
        LockHandle handle = engine.acquire(LockRequest.of("order:44"));

        time.letPass(WARN_AFTER.multipliedBy(4));
        await().until(() -> renewals() > 0);
        time.letPass(LEASE.dividedBy(3));
        await().until(() -> renewals() > 1);
        assertThat(received).isNotEmpty();
        assertReportedOncePerDoubling();
        assertThat(handle.isHeld()).isTrue();
    }

    /** Whatever real time passes meanwhile: each report is due, and the next one only at the next doubling. */
    private void assertReportedOncePerDoubling() {
        Duration due = WARN_AFTER;
        for (LockEvent.HeldLong report : received) {
            assertThat(report.held()).isGreaterThanOrEqualTo(due);
            while (due.compareTo(report.held()) <= 0) {
                due = due.multipliedBy(2);
            }
        }
    }

    @Test
    void doesNotReportHoldsThatEndInTime() {
        for (int i = 0; i < 100; i++) {
            engine.acquire(LockRequest.of("short")).release();
        }
        engine.acquire(LockRequest.of("order:42"));

        time.letPass(WARN_AFTER);
        await().untilAsserted(() -> assertThat(received).isNotEmpty());
        assertThat(received).extracting(LockEvent.HeldLong::key).containsExactly("order:42");
    }

    @Test
    void namesTheAcquiringThreadExceptForAnAsynchronousAcquisition() {
        engine.acquire(LockRequest.of("of-handle").ownedByHandle());
        time.letPass(WARN_AFTER);
        await().untilAsserted(() -> assertThat(received).hasSize(1));
        assertThat(received.get(0).thread()).contains(Thread.currentThread());
        received.clear();

        LockHandle handle = engine.acquireAsync(LockRequest.of("async")).join();
        time.letPass(WARN_AFTER);
        await().untilAsserted(() -> assertThat(received)
                .anyMatch(report -> report.fencingToken() == handle.fencingToken()
                        && report.thread().isEmpty()));
    }

    @Test
    void doesNotReportAnAbandonedHoldAfterItsRelease() throws Exception {
        LockEngine renewing = engine(LEASE.dividedBy(3).multipliedBy(2));
        AtomicReference<@Nullable LockHandle> handle = new AtomicReference<>();
        Thread thread = new Thread(() -> handle.set(renewing.acquire(LockRequest.of("order:42"))));
        thread.start();
        thread.join();
        time.letPass(LEASE.dividedBy(3));
        await().until(() -> has(LockEvent.Renewed.class)); // the check of the handle starts before it

        handle.set(null);
        await().until(() -> {
            System.gc();
            time.letPass(Duration.ofSeconds(1));
            return has(LockEvent.Abandoned.class);
        });
        renewing.close();

        assertThat(events.stream().dropWhile(event -> !(event instanceof LockEvent.Abandoned)))
                .noneMatch(LockEvent.HeldLong.class::isInstance);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void neitherReportsNorLimitsAHoldThatMayLastAsLongAsAnyDuration(boolean configured) {
        LockRequest request = LockRequest.of("leader");
        LockRequest unlimited = configured ? request.named("unlimited") : request.maxHold(LockRequest.MAX_DURATION);
        LockHandle handle = engine.acquire(unlimited);

        handle.extend(unlimited);
        time.letPass(WARN_AFTER.plusSeconds(1));
        time.letPass(LEASE.dividedBy(3));
        await().untilAsserted(() -> assertThat(has(LockEvent.Renewed.class)).isTrue());
        assertThat(received).isEmpty();
        assertThat(engine.heldLocks().snapshot()).singleElement().satisfies(held -> assertThat(held.maxHold())
                .isEmpty());
    }

    @Test
    void renewsTheLockWhenTheReportFails() {
        AtomicInteger failures = new AtomicInteger();
        onHeldLong = () -> {
            failures.incrementAndGet();
            throw new OutOfMemoryError("planted");
        };
        LockHandle handle = engine.acquire(LockRequest.of("order:42"));

        time.letPass(WARN_AFTER);
        await().untilAsserted(() -> assertThat(failures).hasPositiveValue());
        time.letPass(LEASE.dividedBy(3));
        await().untilAsserted(() -> assertThat(events).hasAtLeastOneElementOfType(LockEvent.Renewed.class));
        assertThat(handle.isHeld()).isTrue();
    }

    @Test
    void reportsAHoldOnlyOnceItsCallerHasTheLock() throws Exception {
        CountDownLatch contended = new CountDownLatch(1);
        CountDownLatch taking = new CountDownLatch(1);
        onContended = () -> {
            contended.countDown();
            EngineInterleavings.awaitQuietly(taking);
        };
        try (LockEngine silent = engine(Duration.ZERO);
                LockEngine late = engine(WARN_AFTER)) {
            LockHandle before = silent.acquire(LockRequest.of("order:42"));
            Thread caller = new Thread(() -> late.acquire(LockRequest.of("order:42")));
            caller.start();
            contended.await();
            before.release();
            await().until(() -> !late.heldLocks().snapshot().isEmpty());
            time.letPass(WARN_AFTER); // a long hold that its caller does not have yet

            AtomicInteger looks = new AtomicInteger();
            onWatchdogsClock = looks::incrementAndGet;
            Thread.sleep(Patience.MOMENT_MILLIS); // an event that must not happen cannot be awaited
            assertThat(looks).hasValueLessThan(50);
            assertThat(received).isEmpty();

            taking.countDown();
            await().until(() ->
                    events.stream().filter(LockEvent.Acquired.class::isInstance).count() == 2);
            time.letPass(WARN_AFTER);
            await().untilAsserted(() -> assertThat(received).isNotEmpty());
            caller.join();
        }
    }

    @Test
    void keepsNoThreadReachableWhenReportsAreDisabled() throws Exception {
        try (LockEngine silent = engine(Duration.ZERO)) {
            Thread thread =
                    new Thread(() -> silent.acquire(LockRequest.of("report").ownedByHandle()));
            thread.start();
            thread.join();
            WeakReference<Thread> ended = new WeakReference<>(thread);
            thread = null;

            await().untilAsserted(() -> {
                System.gc();
                assertThat(ended.refersTo(null)).isTrue();
            });
            assertThat(silent.heldLocks().snapshot()).hasSize(1);
        }
    }

    private long renewals() {
        return events.stream().filter(LockEvent.Renewed.class::isInstance).count();
    }

    private boolean has(Class<? extends LockEvent> type) {
        return events.stream().anyMatch(type::isInstance);
    }
}
