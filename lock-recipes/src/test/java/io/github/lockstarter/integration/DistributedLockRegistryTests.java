package io.github.lockstarter.integration;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.mockito.AdditionalAnswers.delegatesTo;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;

import io.github.lockstarter.HeldLock;
import io.github.lockstarter.LockBackendException;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockInterruptedException;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockSource;
import io.github.lockstarter.LockTemplate;
import io.github.lockstarter.Renewal;
import io.github.lockstarter.contract.Application;
import io.github.lockstarter.contract.RecordingBackend.Verb;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.local.LocalLockBackend;
import java.time.Duration;
import java.util.ConcurrentModificationException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.mockito.ArgumentCaptor;
import org.springframework.integration.support.locks.DistributedLock;

@SuppressWarnings("LockNotBeforeTry") // each step is asserted, and the store is discarded after the test
class DistributedLockRegistryTests {

    private static final String KEY = "integration:orders";
    private static final Duration LEASE = Duration.ofMinutes(1);

    private final LocalLockBackend store = new LocalLockBackend();
    private final Application first = Application.over(store, Application.settings(LEASE));
    private final Application second = Application.over(store);
    private final DistributedLockRegistry registry = new DistributedLockRegistry(first.locks());
    private final DistributedLock lock = registry.obtain("orders");
    private final DistributedLock elsewhere = new DistributedLockRegistry(second.locks()).obtain("orders");
    private final ExecutorService threads = Executors.newCachedThreadPool();

    @AfterEach
    void close() {
        threads.shutdownNow();
        first.close();
        second.close();
        store.close();
    }

    private <T> T onAnotherThread(Callable<T> work) throws Exception {
        return threads.submit(work).get(Patience.SECONDS, SECONDS);
    }

    private HeldLock held() {
        return first.locks().heldLocks().find(KEY).orElseThrow();
    }

    private long sent(Verb verb) {
        return first.backend().count(verb, KEY);
    }

    /** An operator takes the lock away, and the holder knows. */
    private void lose() {
        second.admin().revoke(KEY, held().fencingToken()).join();
        await().until(() -> first.locks().heldLocks().size() == 0);
    }

    /** A lock of the first instance whose check with the store fails after each re-entry. */
    private DistributedLock unconfirmed(Callable<RuntimeException> failure) {
        return new DistributedLockRegistry(new LockTemplate(first.locks()) {
                    @Override
                    public Optional<LockHandle> tryAcquire(LockRequest request) {
                        try {
                            throw failure.call();
                        } catch (RuntimeException e) {
                            throw e;
                        } catch (Exception e) {
                            throw new AssertionError(e);
                        }
                    }
                })
                .obtain("orders");
    }

    private static LockInterruptedException interrupted() {
        Thread.currentThread().interrupt();
        return new LockInterruptedException(KEY, "planted", new InterruptedException());
    }

    @Test
    void excludesOtherThreadsAndOtherInstances() throws Exception {
        lock.lock();

        assertThat(onAnotherThread(() -> lock.tryLock())).isFalse();
        assertThat(elsewhere.tryLock(20, MILLISECONDS)).isFalse();

        lock.unlock();
        assertThat(elsewhere.tryLock()).isTrue();
        elsewhere.unlock();
    }

    @Test
    void differentKeysAndRegistriesHaveDifferentLocks() {
        DistributedLock other = registry.obtain("invoices");
        DistributedLock ofAnotherRegistry = new DistributedLockRegistry(second.locks(), "batch").obtain("orders");
        lock.lock();
        other.lock();
        assertThat(ofAnotherRegistry.tryLock()).isTrue();

        assertThat(other).isNotEqualTo(lock).hasToString("lock 'integration:invoices'");
        assertThat(ofAnotherRegistry).isNotEqualTo(lock);
        ofAnotherRegistry.unlock();
        other.unlock();
        lock.unlock();
    }

    @Test
    void allLocksOfOneKeyAreTheSameLock() {
        lock.lock();
        DistributedLock again = new DistributedLockRegistry(first.locks()).obtain("orders");

        assertThat(again).isEqualTo(lock).hasSameHashCodeAs(lock);
        again.unlock();
        assertThat(elsewhere.tryLock()).isTrue();
        elsewhere.unlock();
    }

    @Test
    void isReentrantAndReleasesWithTheLastUnlock() throws Exception {
        lock.lock();
        lock.lockInterruptibly();
        assertThat(lock.tryLock()).isTrue();
        assertThat(lock.tryLock(1, SECONDS)).isTrue();

        for (int i = 0; i < 3; i++) {
            lock.unlock();
            assertThat(elsewhere.tryLock()).isFalse();
        }
        lock.unlock();
        assertThat(elsewhere.tryLock()).isTrue();
        elsewhere.unlock();
        assertThat(sent(Verb.ACQUIRE)).isOne();
    }

    @Test
    void waitsForTheTimeOfTheCall() throws Exception {
        lock.lock();
        Future<Boolean> waiting = threads.submit(() -> elsewhere.tryLock(Patience.SECONDS, SECONDS));
        Future<Boolean> within = threads.submit(() -> elsewhere.tryLock(Duration.ofMillis(10), LEASE));

        assertThat(within.get(Patience.SECONDS, SECONDS)).isFalse();
        lock.unlock();
        assertThat(waiting.get(Patience.SECONDS, SECONDS)).isTrue();
    }

    @Test
    void anInterruptEndsAnInterruptibleWait() throws Exception {
        lock.lock();
        for (Callable<Boolean> waiting : List.<Callable<Boolean>>of(
                () -> {
                    elsewhere.lockInterruptibly();
                    return true;
                },
                () -> elsewhere.tryLock(Patience.SECONDS, SECONDS))) {
            CountDownLatch interrupted = new CountDownLatch(1);
            Thread thread = new Thread(() -> {
                try {
                    waiting.call();
                } catch (InterruptedException e) {
                    interrupted.countDown();
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            });
            thread.start();
            thread.interrupt();
            assertThat(interrupted.await(Patience.SECONDS, SECONDS)).isTrue();
        }
        lock.unlock();
    }

    @Test
    void leasesALockForTheTtlOfTheCallAndRenewsItAsConfigured() throws Exception {
        LockSource source = mock(LockSource.class, delegatesTo(first.locks()));
        DistributedLock recorded = new DistributedLockRegistry(new LockTemplate(source)).obtain("orders");
        Duration ttl = Duration.ofMinutes(2);
        recorded.lock(ttl);
        recorded.unlock();
        assertThat(recorded.tryLock(Duration.ZERO, ttl)).isTrue();
        recorded.unlock();
        recorded.lock();
        recorded.unlock();

        ArgumentCaptor<LockRequest> requests = ArgumentCaptor.captor();
        verify(source, times(3)).tryAcquire(requests.capture());
        assertThat(requests.getAllValues())
                .extracting(request -> request.terms().lease())
                .containsExactly(Optional.of(ttl), Optional.of(ttl), Optional.empty());
        assertThat(requests.getAllValues())
                .extracting(request -> request.terms().renewal())
                .containsOnly(Renewal.AS_CONFIGURED);
    }

    @Test
    void refusesATtlAboveTheLongestLease() {
        assertThatThrownBy(() -> lock.lock(Duration.ofHours(1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("max-lease");
        assertThatThrownBy(lock::unlock).isInstanceOf(IllegalMonitorStateException.class);
    }

    @Test
    void reportsALossAtUnlock() {
        lock.lock();
        lose();

        assertThatThrownBy(lock::unlock)
                .isInstanceOf(ConcurrentModificationException.class)
                .hasCauseInstanceOf(LockLostException.class);
        lock.lock();
        lock.unlock();
    }

    /** Nested code must not hide the loss from the code around it: each of the two holds is told. */
    @Test
    void reportsALossToEachHoldWhateverNestedCodeCalls() {
        lock.lock();
        lock.lock();
        lose();

        List<ThrowingCallable> nested = List.of(
                lock::lock,
                lock::lockInterruptibly,
                () -> lock.lock(LEASE),
                lock::tryLock,
                () -> lock.tryLock(10, SECONDS),
                () -> lock.tryLock(Duration.ofSeconds(10), LEASE),
                lock::unlock,
                lock::tryLock,
                lock::unlock);
        assertThat(nested).allSatisfy(call -> assertThatThrownBy(call)
                .isInstanceOf(ConcurrentModificationException.class)
                .hasCauseInstanceOf(LockLostException.class));
        assertThat(sent(Verb.ACQUIRE)).isOne();
        assertThatThrownBy(lock::unlock).isInstanceOf(IllegalMonitorStateException.class);
        assertThat(lock.tryLock()).isTrue();
        lock.unlock();
        assertThat(elsewhere.tryLock()).isTrue();
        elsewhere.unlock();
    }

    @Test
    void tryLockReportsARevocation() {
        lock.lock();
        second.admin().revoke(KEY, held().fencingToken()).join();

        assertThatThrownBy(lock::tryLock).isInstanceOf(ConcurrentModificationException.class);
        assertThat(elsewhere.tryLock()).isTrue();
        elsewhere.unlock();
        assertThatThrownBy(lock::unlock).isInstanceOf(ConcurrentModificationException.class);
        assertThatThrownBy(lock::unlock).isInstanceOf(IllegalMonitorStateException.class);
    }

    @Test
    void aNestedCallWithATtlExtendsTheLease() throws Exception {
        Duration longer = LEASE.multipliedBy(2);
        lock.lock();
        lock.lock(longer);
        assertThat(held().remainingLease()).isGreaterThan(LEASE);
        lock.unlock();
        lock.unlock();
        lock.lock();
        assertThat(lock.tryLock(Duration.ZERO, longer)).isTrue();
        assertThat(held().remainingLease()).isGreaterThan(LEASE);
        lock.unlock();
        lock.unlock();
    }

    @Test
    void reentersWithoutAnAnswerWhileTheHoldIsCertain() {
        lock.lock(Duration.ofMinutes(1));
        first.backend().failRenewals(1);

        assertThat(lock.tryLock()).isTrue();
        lock.unlock();
        lock.unlock();
    }

    @Test
    void aCallThatFailsToAskTheStoreLeavesNoEntry() {
        DistributedLock unconfirmed = unconfirmed(() -> new IllegalStateException("planted"));
        unconfirmed.lock();

        assertThatThrownBy(unconfirmed::tryLock).hasMessage("planted");
        assertThatThrownBy(() -> unconfirmed.tryLock(1, SECONDS)).hasMessage("planted");
        assertThat(elsewhere.tryLock()).isFalse();
        unconfirmed.unlock();
        assertThat(elsewhere.tryLock()).isTrue();
        elsewhere.unlock();
    }

    @Test
    void aCallThatIsInterruptedWhileItAsksTheStoreLeavesNoEntry() {
        DistributedLock unconfirmed = unconfirmed(DistributedLockRegistryTests::interrupted);
        unconfirmed.lock();

        assertThatThrownBy(() -> unconfirmed.tryLock(1, SECONDS))
                .isInstanceOf(InterruptedException.class)
                .hasCauseInstanceOf(LockInterruptedException.class);
        assertThat(Thread.interrupted()).isFalse();
        assertThatThrownBy(() -> unconfirmed.tryLock(Duration.ofSeconds(1), LEASE))
                .isInstanceOf(InterruptedException.class);
        assertThat(Thread.interrupted()).isFalse();
        unconfirmed.unlock();
        assertThat(elsewhere.tryLock()).isTrue();
        elsewhere.unlock();
    }

    @ParameterizedTest
    @MethodSource("uninterruptibleCalls")
    void anUninterruptibleReentryKeepsTheInterrupt(Predicate<DistributedLock> enters) {
        AtomicInteger questions = new AtomicInteger();
        LockTemplate interrupting = new LockTemplate(first.locks()) {
            @Override
            public Optional<LockHandle> tryAcquire(LockRequest request) {
                if (questions.incrementAndGet() == 1) {
                    throw interrupted();
                }
                return super.tryAcquire(request);
            }
        };
        DistributedLock interrupted = new DistributedLockRegistry(interrupting).obtain("orders");
        interrupted.lock();

        assertThat(enters.test(interrupted)).isTrue();
        assertThat(Thread.interrupted()).isTrue();
        assertThat(questions).hasValue(2);
        interrupted.unlock();
        interrupted.unlock();
        assertThat(elsewhere.tryLock()).isTrue();
        elsewhere.unlock();
    }

    static List<Predicate<DistributedLock>> uninterruptibleCalls() {
        return List.of(DistributedLock::tryLock, lock -> {
            lock.lock(LEASE.multipliedBy(2));
            return true;
        });
    }

    @Test
    void reportsALockLostWhileTheStoreDoesNotAnswer() {
        DistributedLock unconfirmed = unconfirmed(() -> {
            second.admin().revoke(KEY, held().fencingToken()).join();
            await().until(() -> first.locks().heldLocks().size() == 0);
            return new LockBackendException(KEY, "planted", null);
        });
        unconfirmed.lock();

        assertThatThrownBy(unconfirmed::tryLock).isInstanceOf(ConcurrentModificationException.class);
        assertThatThrownBy(unconfirmed::unlock).isInstanceOf(ConcurrentModificationException.class);
        assertThat(elsewhere.tryLock()).isTrue();
        elsewhere.unlock();
    }

    @Test
    void throwsWhenItIsUnknownWhetherAnotherHasTheLock() {
        first.close();

        assertThatThrownBy(lock::tryLock).isInstanceOf(LockBackendException.class);
        assertThatThrownBy(lock::lock).isInstanceOf(LockBackendException.class);
    }

    @Test
    void renewLockExtendsTheLeaseForTheHolder() {
        lock.lock();

        registry.renewLock("orders", Duration.ofMinutes(9));
        assertThat(held().remainingLease()).isGreaterThan(LEASE);
        long before = sent(Verb.RENEW);
        registry.renewLock("orders");
        assertThat(sent(Verb.RENEW)).isGreaterThan(before);
        lock.unlock();
    }

    @Test
    void refusesToRenewForAThreadThatDoesNotHoldTheLock() {
        assertThatThrownBy(() -> registry.renewLock("orders")).isInstanceOf(IllegalStateException.class);
        lock.lock();
        lose();

        assertThatThrownBy(() -> registry.renewLock("orders", LEASE))
                .isInstanceOf(IllegalStateException.class)
                .hasCauseInstanceOf(LockLostException.class);
        assertThatThrownBy(lock::unlock).isInstanceOf(ConcurrentModificationException.class);
    }

    @Test
    void expireUnusedKeepsHeldLocks() {
        lock.lock();

        registry.expireUnusedOlderThan(-1);

        assertThat(elsewhere.tryLock()).isFalse();
        registry.obtain("orders").unlock();
    }

    @Test
    void executesWorkUnderALock() throws Exception {
        AtomicInteger runs = new AtomicInteger();
        registry.executeLocked("orders", () -> {
            assertThat(elsewhere.tryLock()).isFalse();
            runs.incrementAndGet();
        });
        elsewhere.lock();

        assertThatThrownBy(() -> registry.executeLocked("orders", Duration.ofMillis(10), () -> runs.incrementAndGet()))
                .isInstanceOf(TimeoutException.class);
        elsewhere.unlock();
        assertThat(runs).hasValue(1);
    }

    @Test
    void refusesAKeyWithoutAnIdentifyingText() {
        assertThatThrownBy(() -> registry.obtain(42)).isInstanceOf(IllegalArgumentException.class);
    }
}
