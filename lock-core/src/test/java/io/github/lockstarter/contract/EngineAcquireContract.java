package io.github.lockstarter.contract;

import static java.time.Duration.ofMillis;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockInterruptedException;
import io.github.lockstarter.LockNotAcquiredException;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.ReleaseOutcome;
import io.github.lockstarter.contract.RecordingBackend.Verb;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.testing.CriticalSection;
import io.github.lockstarter.testing.Crowd;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Callers exclude each other, wait and give up. */
public abstract class EngineAcquireContract extends EngineContract {

    /** Shorter than the time after which a lease is renewed. */
    private static final Duration WAIT = LEASE.dividedBy(6);

    public EngineAcquireContract(Supplier<? extends LockStore> opening) {
        super(opening);
    }

    @Test
    void runsOneLockedSectionAtATimeAcrossThreadsAndInstances() {
        CriticalSection section = new CriticalSection();
        List<Application> applications = List.of(first, second, newApplication());
        AtomicInteger next = new AtomicInteger();

        Crowd.of(9).eachRuns(30, () -> {
            Application application = applications.get(next.getAndIncrement() % applications.size());
            try (LockHandle lock = application.locks().acquire(request)) {
                section.run(lock.fencingToken());
            }
        });

        section.assertExclusive(270);
        assertFree();
    }

    @Test
    void triesOnceWithoutAWait() {
        try (LockHandle held = first.locks().acquire(request)) {
            assertThat(second.locks().tryAcquire(request.withoutWaiting())).isEmpty();
            assertThat(second.backend().count(Verb.ACQUIRE)).isEqualTo(1);
            assertThatThrownBy(() -> second.locks().acquire(request.withoutWaiting()))
                    .isInstanceOf(LockNotAcquiredException.class)
                    .hasMessageContaining(key);
            assertThat(second.backend().count(Verb.ACQUIRE)).isEqualTo(2);
            assertThat(held.isHeld()).isTrue();
        }
    }

    @Test
    void stopsWaitingWhenTheWaitOfTheRequestIsOver() {
        try (LockHandle held = first.locks().acquire(request)) {
            Duration waited =
                    timeOf(() -> assertThatThrownBy(() -> second.locks().acquire(request.maxWait(ofMillis(50))))
                            .isInstanceOf(LockNotAcquiredException.class)
                            .hasMessageContaining(key));

            assertThat(waited).isBetween(ofMillis(50), ofMillis(50).plus(Patience.TIME));
            assertThat(held.isHeld()).isTrue();
        }
    }

    @Test
    void doesNotWaitLongerBecauseOfSpuriousSignals() throws Exception {
        try (LockHandle held = first.locks().acquire(request)) {
            Future<Duration> waiter = elsewhere(
                    () -> timeOf(() -> assertThatThrownBy(() -> second.locks().acquire(request.maxWait(ofMillis(100))))
                            .isInstanceOf(LockNotAcquiredException.class)));
            while (!waiter.isDone()) {
                second.backend().signalFalsely(key);
            }

            assertThat(resultOf(waiter)).isBetween(ofMillis(100), ofMillis(100).plus(Patience.TIME));
            assertThat(held.isHeld()).isTrue();
        }
    }

    @Test
    void acquiresAsSoonAsAnotherApplicationReleases() throws Exception {
        LockHandle held = first.locks().acquire(request);
        Future<Long> waiter = elsewhere(() -> {
            try (LockHandle lock = second.locks().acquire(request)) {
                return lock.fencingToken();
            }
        });
        awaitWaiters(second, 1);

        held.release();

        assertThat(resultOf(waiter)).isGreaterThan(held.fencingToken());
    }

    @Test
    void servesTheWaitersOfAnApplicationInTheOrderOfTheirCalls() throws Exception {
        List<Integer> served = new CopyOnWriteArrayList<>();
        LockHandle held = first.locks().acquire(request);
        List<Future<?>> waiters = new ArrayList<>();
        for (int i = 1; i <= 5; i++) {
            int number = i;
            waiters.add(elsewhere(() -> {
                try (LockHandle lock = second.locks().acquire(request)) {
                    served.add(number);
                    return lock.fencingToken();
                }
            }));
            awaitWaiters(second, i);
        }

        held.release();

        for (Future<?> waiter : waiters) {
            resultOf(waiter);
        }
        assertThat(served).containsExactly(1, 2, 3, 4, 5);
    }

    @Test
    void acquiresWhenTheLeaseOfASilentOwnerIsOver() throws Exception {
        LockHandle silent = first.locks().acquire(request.withoutRenewal());
        LockRequest patient = request.maxWait(LEASE.multipliedBy(3));
        Future<Boolean> waiter = elsewhere(() -> acquiresAndReleases(second, patient));
        awaitWaiters(second, 1);

        letPass(LEASE);

        assertThat(resultOf(waiter)).isTrue();
        assertThat(silent.isHeld()).isFalse();
    }

    @Test
    void servesTheNextWaiterWhenTheFirstGivesUp() throws Exception {
        LockHandle held = first.locks().acquire(request);
        Future<?> impatient = second.locks().acquireAsync(request.maxWait(WAIT));
        awaitWaiters(second, 1);
        Future<Boolean> patient = elsewhere(() -> acquiresAndReleases(second));
        awaitWaiters(second, 2);
        Future<Boolean> remote = elsewhere(() -> acquiresAndReleases(first));
        letWaitPass(WAIT);
        assertThatThrownBy(() -> resultOf(impatient)).hasCauseInstanceOf(LockNotAcquiredException.class);

        held.release();

        assertThat(resultOf(patient)).isTrue();
        assertThat(resultOf(remote)).isTrue();
        assertFree();
    }

    @Test
    void leavesNothingBehindWhenTheCallerIsAlreadyInterrupted() throws Exception {
        Future<Boolean> flag = elsewhere(() -> {
            Thread.currentThread().interrupt();
            assertThatThrownBy(() -> first.locks().acquire(request)).isInstanceOf(LockInterruptedException.class);
            return Thread.interrupted();
        });

        assertThat(resultOf(flag)).as("the interrupt flag").isTrue();
        await().untilAsserted(this::assertFree);
        assertThat(first.locks().heldLocks().size()).isZero();
    }

    @Test
    void leavesNothingBehindWhenAWaiterIsInterrupted() throws Exception {
        LockHandle held = first.locks().acquire(request);
        CompletableFuture<Thread> waiting = new CompletableFuture<>();
        Future<Boolean> flag = elsewhere(() -> {
            waiting.complete(Thread.currentThread());
            assertThatThrownBy(() -> second.locks().acquire(request))
                    .isInstanceOf(LockInterruptedException.class)
                    .hasMessageContaining(key);
            return Thread.interrupted();
        });
        awaitWaiters(second, 1);

        waiting.get(Patience.SECONDS, TimeUnit.SECONDS).interrupt();

        assertThat(resultOf(flag)).as("the interrupt flag").isTrue();
        assertThat(held.release()).isEqualTo(ReleaseOutcome.RELEASED);
        await().untilAsserted(this::assertFree);
        assertThat(second.events().of(LockEvent.Acquired.class)).isEmpty();
    }

    @Test
    void acquiresAsynchronouslyWithoutBlockingAThread() throws Exception {
        LockHandle held = first.locks().acquire(request);
        CompletableFuture<LockHandle> future = second.locks().acquireAsync(request);
        assertThat(future).isNotDone();

        held.release();

        try (LockHandle lock = resultOf(future)) {
            assertThat(lock.isHeld()).isTrue();
            assertThat(lock.fencingToken()).isGreaterThan(held.fencingToken());
        }
    }

    @Test
    void leavesNothingBehindWhenAFutureIsCancelled() {
        LockHandle held = first.locks().acquire(request);
        CompletableFuture<LockHandle> future = second.locks().acquireAsync(request);
        awaitWaiters(second, 1);

        assertThat(future.cancel(true)).isTrue();
        held.release();

        await().untilAsserted(this::assertFree);
    }

    private boolean acquiresAndReleases(Application application) {
        return acquiresAndReleases(application, request);
    }

    private static boolean acquiresAndReleases(Application application, LockRequest request) {
        try (LockHandle lock = application.locks().acquire(request)) {
            return lock.isHeld();
        }
    }
}
