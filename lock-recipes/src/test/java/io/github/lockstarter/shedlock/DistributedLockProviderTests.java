package io.github.lockstarter.shedlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import io.github.lockstarter.HeldLock;
import io.github.lockstarter.InTransaction;
import io.github.lockstarter.LockAdmin.StoredLock;
import io.github.lockstarter.LockBackendException;
import io.github.lockstarter.LockException;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockOperations;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockTemplate;
import io.github.lockstarter.MinHoldIf;
import io.github.lockstarter.contract.Application;
import io.github.lockstarter.contract.RecordingBackend;
import io.github.lockstarter.engine.LockEngine;
import io.github.lockstarter.engine.settings.EngineClock;
import io.github.lockstarter.local.LocalLockBackend;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class DistributedLockProviderTests {

    private static final String KEY = "shedlock:report";
    private static final Duration LEASE = Duration.ofMinutes(1);
    private static final Duration LONG = Duration.ofMinutes(5);

    private final AtomicLong skipped = new AtomicLong();
    private final LocalLockBackend store = new LocalLockBackend(this::nanos);
    private final RecordingBackend commands = new RecordingBackend(store);
    private final LockEngine first = new LockEngine(
            commands, Application.settings(LEASE), List.of(), new EngineClock(this::nanos, InstantSource.system()));
    private final Application second = Application.over(store);
    private final LockTemplate locks = new LockTemplate(first);
    private final DistributedLockProvider provider = new DistributedLockProvider(locks, LEASE);
    private final DistributedLockProvider other = new DistributedLockProvider(second.locks(), LEASE);

    private long nanos() {
        return System.nanoTime() + skipped.get();
    }

    private void skip(Duration time) {
        skipped.addAndGet(time.toNanos());
    }

    @AfterEach
    void close() {
        first.close();
        second.close();
        store.close();
    }

    private static LockConfiguration times(Duration atMost, Duration minHold) {
        return new LockConfiguration(Instant.now(), "report", atMost, minHold);
    }

    private static LockConfiguration atMost(Duration atMost) {
        return times(atMost, Duration.ZERO);
    }

    private SimpleLock locked(LockConfiguration configuration) {
        return provider.lock(configuration).orElseThrow();
    }

    private StoredLock stored() {
        return first.admin().inspect(KEY).join();
    }

    private HeldLock held() {
        return first.heldLocks().find(KEY).orElseThrow();
    }

    @Test
    void excludesOthersEvenOnTheSameThreadWithoutWaiting() {
        SimpleLock lock = locked(atMost(LONG));

        assertThat(provider.lock(atMost(LONG))).isEmpty();
        assertThat(other.lock(atMost(LONG))).isEmpty();
        assertThat(locks.tryAcquire(KEY)).isEmpty();

        lock.unlock();
        assertThat(other.lock(atMost(LONG))).isPresent();
    }

    @Test
    void anotherThreadCanUnlock() {
        SimpleLock lock = locked(atMost(LEASE));

        CompletableFuture.runAsync(lock::unlock).join();

        assertThat(other.lock(atMost(LEASE))).isPresent();
        assertThatThrownBy(lock::unlock).isInstanceOf(IllegalStateException.class);
    }

    private record Times(Duration atMost, Duration minHold, LockRequest request) {}

    private static LockRequest request() {
        return LockRequest.of(KEY)
                .named(DistributedLockProvider.NAME)
                .ownedByHandle()
                .inTransaction(InTransaction.RELEASE)
                .withoutWaiting()
                .minHold(Duration.ZERO)
                .minHoldIf(MinHoldIf.ALWAYS);
    }

    private static Stream<Times> times() {
        LockRequest renewed = request().withRenewal().maxHold(LONG);
        Duration longer = LEASE.multipliedBy(2);
        return Stream.of(
                new Times(LEASE, Duration.ZERO, request().lease(LEASE).withoutRenewal()),
                new Times(LONG, Duration.ZERO, renewed.lease(LEASE)),
                new Times(LONG, LEASE, renewed.lease(LEASE).minHold(LEASE)),
                new Times(LONG, longer, renewed.lease(longer).minHold(longer)));
    }

    /** Renews a lock only up to a longest time above its lease; the lease is at least the minimum hold. */
    @ParameterizedTest
    @MethodSource("times")
    void asksForTheTimesWithTheGrantAndWithAnExtension(Times expected) {
        LockConfiguration configuration = times(expected.atMost, expected.minHold);
        LockHandle handle = mock();
        LockOperations recorded = mock();
        when(recorded.tryAcquire(any(LockRequest.class))).thenReturn(Optional.of(handle));
        SimpleLock lock =
                new DistributedLockProvider(recorded, LEASE).lock(configuration).orElseThrow();
        verify(recorded).tryAcquire(expected.request);

        lock.extend(expected.atMost, expected.minHold);
        verify(handle).extend(expected.request);
    }

    @Test
    void keepsAnUnlockedLockForItsMinimumHold() {
        locked(times(LONG, LEASE)).unlock();

        assertThat(stored()).isInstanceOf(StoredLock.Kept.class);
        skip(LEASE);
        assertThat(other.lock(atMost(LEASE))).isPresent();
    }

    @Test
    void refusesAMinimumHoldAboveTheLongestLease() {
        assertThatThrownBy(() -> provider.lock(times(Duration.ofHours(2), Duration.ofHours(1))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("max-lease");
    }

    @Test
    void refusesALeaseThatIsTooShort() {
        assertThatThrownBy(() -> new DistributedLockProvider(locks, Duration.ofMillis(19)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("19ms");
    }

    @Test
    void anExtensionReplacesTheLock() {
        SimpleLock lock = locked(atMost(LEASE));

        Optional<SimpleLock> extended = lock.extend(LONG, Duration.ZERO);

        assertThatThrownBy(lock::unlock).isInstanceOf(IllegalStateException.class);
        assertThat(other.lock(atMost(LEASE))).isEmpty();
        extended.orElseThrow().unlock();
        assertThat(other.lock(atMost(LEASE))).isPresent();
    }

    @Test
    void countsTheMinimumHoldOfAnExtensionFromTheExtension() {
        SimpleLock lock = locked(atMost(LONG));
        skip(LEASE.dividedBy(2)); // so that the grant is long ago

        lock.extend(LONG, LEASE.dividedBy(3)).orElseThrow().unlock();

        assertThat(stored()).isInstanceOf(StoredLock.Kept.class);
    }

    @Test
    void doesNotExtendALostLock() {
        SimpleLock lock = locked(atMost(LONG));
        second.admin().revoke(KEY, held().fencingToken()).join();

        assertThat(lock.extend(LONG, Duration.ZERO)).isEmpty();
        assertThat(other.lock(atMost(LEASE))).isPresent();
    }

    @Test
    void doesNotExtendALockWhoseLongestTimeIsOver() {
        // Again if the shortest lease was over before the lock was handed out.
        SimpleLock lock = await().ignoreExceptionsInstanceOf(LockException.class)
                .until(() -> provider.lock(atMost(Duration.ofMillis(2))), Optional::isPresent)
                .orElseThrow();
        await().pollDelay(Duration.ofMillis(5)).until(() -> true); // until that time is over, and the lease is not

        assertThat(lock.extend(LONG, Duration.ZERO)).isEmpty();
        assertThat(other.lock(atMost(LEASE))).isPresent();
    }

    @Test
    void throwsWhenTheOutcomeOfAnExtensionIsUnknownAndKeepsTheLock() {
        SimpleLock lock = locked(atMost(LONG));
        commands.failRenewals(1);

        assertThatThrownBy(() -> lock.extend(LONG, Duration.ZERO)).isInstanceOf(LockBackendException.class);
        assertThat(lock.extend(LONG, Duration.ZERO)).isPresent();
    }

    @Test
    void throwsWhenTheOutcomeOfAnAttemptIsUnknown() {
        first.close();

        assertThatThrownBy(() -> provider.lock(atMost(LEASE))).isInstanceOf(LockBackendException.class);
    }

    @Test
    void unlocksALostLockWithoutAnException() {
        SimpleLock lock = locked(atMost(LEASE));
        skip(LEASE);
        try (LockHandle next = second.locks().acquire(KEY)) {
            lock.unlock();

            assertThat(next.isHeld()).isTrue();
        }
    }
}
