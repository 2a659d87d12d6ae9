package io.github.lockstarter.observe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockInterruptedException;
import io.github.lockstarter.LockMode;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.engine.LockEngine;
import io.github.lockstarter.engine.settings.EngineClock;
import io.github.lockstarter.engine.settings.EngineSettings;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.local.LocalLockBackend;
import io.github.lockstarter.testing.Effort;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The meters of a real engine, with a second one as another instance of the application. */
@Tag(Effort.SLOW)
class LockMetricsOfEngineTests {

    private static final LockRequest REQUEST =
            LockRequest.of("order:42").named("ship-order").maxWait(Patience.TIME);

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final AtomicLong skipped = new AtomicLong();
    private final AtomicLong skippedInTheStore = new AtomicLong();
    private final LocalLockBackend backend = new LocalLockBackend(() -> System.nanoTime() + skippedInTheStore.get());
    private final LockEngine engine = new LockEngine(
            backend,
            EngineSettings.DEFAULTS,
            List.of(new LockMetrics(registry, () -> List.of(this.engine.admin()))),
            new EngineClock(
                    () -> System.nanoTime() + skipped.get(), () -> Instant.now().plusNanos(skipped.get() / 10 * 11)));
    private final LockEngine other = new LockEngine(backend, EngineSettings.DEFAULTS, List.of(), EngineClock.SYSTEM);

    @AfterEach
    void close() {
        engine.close();
        other.close();
        backend.close();
    }

    @Test
    void aNestedHoldIsCountedOnce() {
        try (LockHandle outer = engine.acquire(REQUEST);
                LockHandle inner = engine.acquire(REQUEST)) {
            assertThat(inner.fencingToken()).isEqualTo(outer.fencingToken());
            assertThat(gauge("held")).isEqualTo(1);
        }

        assertThat(acquires("acquired")).isEqualTo(1);
        assertThat(gauge("held")).isZero();
        assertThat(registry.get("distributed.lock.hold").timer().count()).isEqualTo(1);
    }

    @Test
    void callersAreCountedAsWaitingUntilTheyHaveTheLock() {
        LockHandle theirs = other.acquire(REQUEST);
        engine.acquireAsync(REQUEST).thenAccept(LockHandle::release);
        engine.acquireAsync(REQUEST).thenAccept(LockHandle::release);
        await().ignoreExceptions()
                .untilAsserted(() -> assertThat(gauge("waiting")).isEqualTo(2));

        theirs.release();

        await().untilAsserted(() -> assertThat(acquires("acquired")).isEqualTo(2));
        await().untilAsserted(() -> assertThat(gauge("held")).isZero());
        assertThat(gauge("waiting")).isZero();
    }

    @Test
    void readersAreCountedAsCallersAndTheirCommonHoldOnce() {
        LockRequest toRead = REQUEST.mode(LockMode.READ);
        LockHandle theirs = other.acquire(REQUEST);
        List<CompletableFuture<LockHandle>> readers =
                List.of(engine.acquireAsync(toRead), engine.acquireAsync(toRead), engine.acquireAsync(toRead));
        await().ignoreExceptions()
                .untilAsserted(() -> assertThat(gauge("waiting")).isEqualTo(3));
        theirs.release();
        readers.forEach(CompletableFuture::join);
        engine.acquire(toRead).release();

        await().untilAsserted(() -> assertThat(acquires("acquired")).isEqualTo(4));
        assertThat(gauge("waiting")).isZero();
        assertThat(gauge("held")).isEqualTo(1);
        readers.forEach(reader -> reader.join().release());
        await().untilAsserted(() -> assertThat(gauge("held")).isZero());
        assertThat(registry.get("distributed.lock.hold").timer().count()).isEqualTo(1);
    }

    @Test
    void aReaderThatFollowsAnotherHasNotWaited() {
        for (int i = 0; i < 3; i++) {
            engine.acquire(REQUEST.mode(LockMode.READ)).release();
        }

        await().untilAsserted(() -> assertThat(acquires("acquired")).isEqualTo(3));
        assertThat(gauge("waiting")).isZero();
        assertThat(gauge("held")).isZero();
    }

    @Test
    void anInterruptedCallerIsNoLongerCountedAsWaiting() throws InterruptedException {
        try (LockHandle theirs = other.acquire(REQUEST)) {
            AtomicReference<Throwable> thrown = new AtomicReference<>();
            Thread caller = new Thread(() -> thrown.set(catchThrowable(() -> engine.acquire(REQUEST))));
            caller.start();
            await().ignoreExceptions()
                    .untilAsserted(() -> assertThat(gauge("waiting")).isEqualTo(1));

            caller.interrupt();
            caller.join();

            assertThat(thrown.get()).isInstanceOf(LockInterruptedException.class);
            assertThat(acquires("interrupted")).isEqualTo(1);
            assertThat(gauge("waiting")).isZero();
            assertThat(theirs.isHeld()).isTrue();
        }
    }

    /** The engine detects by its wall clock, which is a little ahead, that the machine was suspended, and renews. */
    private void letRenewalsBeDue() {
        skipped.addAndGet(EngineSettings.DEFAULTS.lease().dividedBy(2).toNanos());
    }

    @Test
    void aLostLockIsCountedOnceAndIsNoLongerHeld() throws ExecutionException, InterruptedException {
        LockHandle handle = engine.acquire(REQUEST);
        CompletableFuture<Void> lost = new CompletableFuture<>();
        handle.onLost(() -> lost.complete(null));
        skippedInTheStore.addAndGet(Duration.ofHours(1).toNanos()); // the store lets the lease end long before we do
        letRenewalsBeDue();

        lost.get();
        handle.release();

        await().untilAsserted(() -> assertThat(gauge("held")).isZero());
        assertThat(registry.get("distributed.lock.lost").counters().stream().mapToDouble(Counter::count))
                .as("of all causes")
                .containsOnlyOnce(1.0)
                .containsOnly(0.0, 1.0);
        assertThat(registry.get("distributed.lock.hold").timer().count()).isEqualTo(1);
        assertThat(renewals("lost")).isEqualTo(1);
    }

    /** The timer of holds counts at the release, so a stuck lock is not in it. */
    @Test
    void theAgesOfTheOldestHoldAndTheLongestWaitAreShown() {
        LockHandle oldest = engine.acquire(REQUEST);
        CompletableFuture<LockHandle> waiting = engine.acquireAsync(REQUEST);
        letRenewalsBeDue();
        try (LockHandle later =
                engine.acquire(LockRequest.of("order:43").named("ship-order").ownedByHandle())) {
            await().untilAsserted(() -> assertThat(gauge("held.longest")).isGreaterThanOrEqualTo(15));
            assertThat(gauge("waiting.longest")).isGreaterThanOrEqualTo(15);
            assertThat(later.isHeld()).isTrue();
        }
        oldest.release();
        waiting.join().release();
        await().untilAsserted(() -> assertThat(gauge("held.longest")).isZero());
        assertThat(gauge("waiting.longest")).isZero();
    }

    private long acquires(String outcome) {
        return registry.get("distributed.lock.acquire")
                .tags("name", "ship-order", "outcome", outcome)
                .timer()
                .count();
    }

    private double renewals(String outcome) {
        return registry.get("distributed.lock.renewals")
                .tags("name", "ship-order", "outcome", outcome)
                .counter()
                .count();
    }

    private double gauge(String meter) {
        return registry.get("distributed.lock." + meter)
                .tag("name", "ship-order")
                .gauge()
                .value();
    }
}
