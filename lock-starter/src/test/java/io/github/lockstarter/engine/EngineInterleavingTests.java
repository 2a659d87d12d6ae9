package io.github.lockstarter.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockBackendException;
import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockEvent.LossCause;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockInterruptedException;
import io.github.lockstarter.LockListener;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockNotAcquiredException;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.ReleaseOutcome;
import io.github.lockstarter.engine.ManualBackend.Sent;
import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.ReleaseCommand;
import io.github.lockstarter.spi.ReleaseResult;
import io.github.lockstarter.spi.RenewCommand;
import io.github.lockstarter.spi.RenewResult;
import io.github.lockstarter.spi.WithdrawResult;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The engine under answers that come late, twice, never, or in the worst moment. */
class EngineInterleavingTests {

    private static final String KEY = "order:42";
    private static final LockRequest REQUEST = LockRequest.of(KEY);
    private final RuntimeException cause = new RuntimeException("connection reset");

    private final ManualBackend backend = new ManualBackend();
    private final AtomicLong wallMillis = new AtomicLong(1_000_000);
    private final EngineClock clock = new EngineClock(System::nanoTime, () -> Instant.ofEpochMilli(wallMillis.get()));
    private final List<LockEvent.Lost> losses = new CopyOnWriteArrayList<>();
    private final LockEngine engine = new LockEngine(
            backend,
            EngineSettings.DEFAULTS,
            List.of(new LockListener() {
                @Override
                public void onLost(LockEvent.Lost event) {
                    losses.add(event);
                }
            }),
            clock);

    @AfterEach
    void stop() {
        CompletableFuture<Void> stopping = CompletableFuture.runAsync(engine::stop, task -> new Thread(task).start());
        await().until(() -> {
            answerReleases();
            return stopping.isDone();
        });
    }

    private void answerReleases() {
        while (backend.pendingReleases() > 0) {
            backend.nextRelease().answer().complete(new ReleaseResult.Released());
        }
    }

    private LockHandle granted(LockRequest request, long fencingToken) throws Exception {
        CompletableFuture<LockHandle> acquiring = engine.acquireAsync(request);
        backend.nextAcquire().answer().complete(new AcquireResult.Granted(fencingToken));
        return acquiring.get(5, TimeUnit.SECONDS);
    }

    private static AcquireResult contended() {
        return new AcquireResult.Contended(Optional.of(Duration.ofSeconds(20)), 7);
    }

    @Test
    void releasesInTheBackgroundWhatAnUnansweredAttemptMayHaveAcquired() {
        CompletableFuture<LockHandle> acquiring = engine.acquireAsync(REQUEST);
        Sent<AcquireCommand, AcquireResult> attempt = backend.nextAcquire();
        attempt.answer().complete(new AcquireResult.Unknown("no answer within 2s", cause));

        assertThatThrownBy(() -> acquiring.get(5, TimeUnit.SECONDS))
                .hasCauseInstanceOf(LockBackendException.class)
                .hasMessageContaining("'order:42'")
                .hasMessageContaining("no answer within 2s");
        Sent<ReleaseCommand, ReleaseResult> first = backend.nextRelease();
        assertThat(first.command().token()).isEqualTo(attempt.command().token());
        first.answer().complete(new ReleaseResult.Unknown("no answer", cause));
        backend.nextRelease().answer().complete(new ReleaseResult.NotHeld());
    }

    @Test
    void doesNotCleanUpWhatWasCertainlyNotAcquired() {
        CompletableFuture<LockHandle> acquiring = engine.acquireAsync(REQUEST);
        backend.nextAcquire().answer().complete(new AcquireResult.Rejected("NOPERM", cause));

        assertThatThrownBy(() -> acquiring.get(5, TimeUnit.SECONDS)).hasCauseInstanceOf(LockBackendException.class);
        assertThat(backend.isQuiet()).isTrue();
    }

    @Test
    void failsEveryLocalWaiterWhenTheBackendFails() {
        CompletableFuture<LockHandle> first = engine.acquireAsync(REQUEST);
        CompletableFuture<LockHandle> second = engine.acquireAsync(REQUEST);
        backend.nextAcquire().answer().complete(new AcquireResult.Rejected("connection refused", cause));

        for (CompletableFuture<LockHandle> waiter : List.of(first, second)) {
            assertThatThrownBy(() -> waiter.get(5, TimeUnit.SECONDS)).hasCauseInstanceOf(LockBackendException.class);
        }
    }

    @Test
    void sendsOneAttemptHoweverManyThreadsWait() throws Exception {
        CompletableFuture<LockHandle> first = engine.acquireAsync(REQUEST);
        CompletableFuture<LockHandle> second = engine.acquireAsync(REQUEST);
        engine.acquireAsync(REQUEST);
        Sent<AcquireCommand, AcquireResult> attempt = backend.nextAcquire();
        assertThat(backend.isQuiet()).isTrue();

        attempt.answer().complete(new AcquireResult.Granted(1));
        assertThat(first.get(5, TimeUnit.SECONDS).isHeld()).isTrue();
        Sent<AcquireCommand, AcquireResult> next = backend.nextAcquire();
        assertThat(next.command().fencingFloor()).isEqualTo(1);
        assertThat(backend.isQuiet()).isTrue();
        next.answer().complete(new AcquireResult.Granted(2));
        assertThat(second.get(5, TimeUnit.SECONDS).fencingToken()).isEqualTo(2);
    }

    @Test
    void triesAgainAtOnceForASignalThatCameDuringTheAttempt() {
        engine.acquireAsync(REQUEST);
        Sent<AcquireCommand, AcquireResult> attempt = backend.nextAcquire();
        backend.signal(KEY);
        attempt.answer().complete(contended());

        Sent<AcquireCommand, AcquireResult> again = backend.nextAcquire();
        assertThat(again.command().waiting().orElseThrow().position()).isEqualTo(7);
        again.answer().complete(new AcquireResult.Granted(1));
    }

    @Test
    void passesASignalOnThatNobodyHereWaitsFor() {
        backend.signal(KEY);
        backend.nextWithdrawal().answer().complete(new WithdrawResult.Withdrawn());
        assertThat(backend.isQuiet()).isTrue();
    }

    @Test
    void withdrawsAndGivesBackWhenInterruptedDuringTheAttempt() throws Exception {
        AtomicInteger flagged = new AtomicInteger();
        CompletableFuture<Throwable> thrown = new CompletableFuture<>();
        Thread caller = new Thread(() -> {
            try {
                engine.acquire(REQUEST);
                thrown.complete(new AssertionError("acquired"));
            } catch (LockInterruptedException e) {
                flagged.set(Thread.currentThread().isInterrupted() ? 1 : 0);
                thrown.complete(e);
            }
        });
        caller.start();
        Sent<AcquireCommand, AcquireResult> attempt = backend.nextAcquire();
        caller.interrupt();

        assertThat(thrown.get(5, TimeUnit.SECONDS)).isInstanceOf(LockInterruptedException.class);
        assertThat(flagged).hasValue(1);
        var withdrawal = backend.nextWithdrawal();
        assertThat(withdrawal.command().token()).isEqualTo(attempt.command().token());
        withdrawal.answer().complete(new WithdrawResult.Withdrawn());
        attempt.answer().complete(new AcquireResult.Granted(1));
        assertThat(backend.nextRelease().command().token())
                .isEqualTo(attempt.command().token());
        assertThat(engine.heldLocks().size()).isZero();
    }

    @Test
    void endsTheWaitInTimeAlthoughALaterAttemptIsUnanswered() {
        CompletableFuture<LockHandle> acquiring = engine.acquireAsync(REQUEST.waitingUpTo(Duration.ofMillis(200)));
        backend.nextAcquire().answer().complete(contended());
        backend.nextAcquire(); // the second look is never answered

        assertThatThrownBy(() -> acquiring.get(5, TimeUnit.SECONDS))
                .hasCauseInstanceOf(LockNotAcquiredException.class)
                .hasMessageContaining("within 200ms (2 attempts): held by another owner for about 20s more");
        backend.nextWithdrawal().answer().complete(new WithdrawResult.Withdrawn());
    }

    @Test
    void doesNotCallALockContendedBeforeTheBackendHasSaidSo() {
        CompletableFuture<LockHandle> first = engine.acquireAsync(REQUEST);
        CompletableFuture<LockHandle> second = engine.acquireAsync(REQUEST.waitingUpTo(Duration.ofMillis(20)));
        Sent<AcquireCommand, AcquireResult> attempt = backend.nextAcquire();
        // Real time is the point: the second wait is over long before the answer.
        await().pollDelay(Duration.ofMillis(120)).until(() -> true);
        assertThat(second).isNotDone();

        attempt.answer().complete(new AcquireResult.Unknown("no answer within 2s", cause));
        for (CompletableFuture<LockHandle> waiter : List.of(first, second)) {
            assertThatThrownBy(() -> waiter.get(5, TimeUnit.SECONDS)).hasCauseInstanceOf(LockBackendException.class);
        }
    }

    @Test
    void refusesAGrantWhoseAnswerTookLongerThanTheLease() throws Exception {
        CompletableFuture<LockHandle> acquiring = engine.acquireAsync(REQUEST);
        Sent<AcquireCommand, AcquireResult> attempt = backend.nextAcquire();
        wallMillis.addAndGet(31_000);
        attempt.answer().complete(new AcquireResult.Granted(1));

        assertThatThrownBy(() -> acquiring.get(5, TimeUnit.SECONDS))
                .hasCauseInstanceOf(LockBackendException.class)
                .hasMessageContaining("longer than the lease");
        assertThat(backend.nextRelease().command().token())
                .isEqualTo(attempt.command().token());
    }

    @Test
    void endsTheLeaseWhenTheMachineWasSuspended() throws Exception {
        LockHandle handle = granted(REQUEST, 1);
        assertThat(handle.isHeld()).isTrue();
        wallMillis.addAndGet(30_100);

        assertThat(handle.isHeld()).isFalse();
        wallMillis.addAndGet(-30_100);
        assertThat(handle.isHeld()).as("a lost lease does not come back").isFalse();
        await().untilAsserted(() -> assertThat(losses)
                .singleElement()
                .extracting(LockEvent.Lost::cause)
                .isEqualTo(LossCause.LEASE_EXPIRED));
    }

    @Test
    void aLateRenewalDoesNotReviveALease() throws Exception {
        LockHandle handle = granted(REQUEST.leasedFor(Duration.ofMillis(150)), 1);
        CountDownLatch lost = new CountDownLatch(1);
        handle.onLost(lost::countDown);
        Sent<RenewCommand, RenewResult> renewal = backend.nextRenewal();

        assertThat(lost.await(5, TimeUnit.SECONDS)).isTrue();
        renewal.answer().complete(new RenewResult.Renewed());
        assertThat(handle.isHeld()).isFalse();
        assertThatThrownBy(handle::ensureHeld)
                .isInstanceOf(LockLostException.class)
                .hasMessageContaining("Lost lock 'order:42' (fencing token 1)")
                .hasMessageContaining("the 150ms lease ran out");
        assertThat(losses).hasSize(1);
    }

    @Test
    void repeatsAnUnansweredRenewalWhileTheLeaseLasts() throws Exception {
        LockHandle handle = granted(REQUEST.leasedFor(Duration.ofMillis(600)), 1);
        backend.nextRenewal(); // never answered
        backend.nextRenewal().answer().complete(new RenewResult.Renewed());

        backend.nextRenewal();
        assertThat(handle.isHeld()).isTrue();
        assertThat(losses).isEmpty();
    }

    @Test
    void aRenewalThatThrowsDoesNotEndTheWatchdog() throws Exception {
        AtomicInteger failures = new AtomicInteger();
        backend.duringRenewal = () -> {
            if (failures.getAndIncrement() == 0) {
                throw new IllegalStateException("planted");
            }
        };
        LockHandle handle = granted(REQUEST.leasedFor(Duration.ofMillis(600)), 1);
        backend.nextRenewal().answer().complete(new RenewResult.Renewed());
        assertThat(failures.get()).isGreaterThan(1);
        assertThat(handle.isHeld()).isTrue();
    }

    @Test
    void sendsTheReleaseAfterTheRenewalThatWasBeingWritten() throws Exception {
        CountDownLatch writing = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        backend.duringRenewal = () -> {
            writing.countDown();
            awaitQuietly(goOn);
        };
        LockHandle handle = granted(REQUEST.leasedFor(Duration.ofSeconds(1)), 1);
        assertThat(writing.await(5, TimeUnit.SECONDS)).isTrue();
        CompletableFuture<ReleaseOutcome> releasing =
                CompletableFuture.supplyAsync(handle::release, task -> new Thread(task).start());
        await().until(() -> !handle.isHeld());
        assertThat(backend.log).noneMatch(ReleaseCommand.class::isInstance);
        goOn.countDown();

        backend.nextRelease().answer().complete(new ReleaseResult.Released());
        assertThat(releasing.get(5, TimeUnit.SECONDS)).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(backend.log.get(backend.log.size() - 1)).isInstanceOf(ReleaseCommand.class);
        assertThat(backend.log).filteredOn(RenewCommand.class::isInstance).hasSize(1);
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await(5, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void repeatsAnUnansweredReleaseAndSaysThatItDoesNotKnow() throws Exception {
        LockHandle handle = granted(REQUEST, 9);
        CompletableFuture<ReleaseOutcome> releasing =
                CompletableFuture.supplyAsync(handle::release, task -> new Thread(task).start());
        backend.nextRelease().answer().complete(new ReleaseResult.Unknown("no answer", cause));

        assertThat(releasing.get(5, TimeUnit.SECONDS)).isEqualTo(ReleaseOutcome.UNKNOWN);
        backend.nextRelease().answer().complete(new ReleaseResult.Unknown("no answer", cause));
        backend.nextRelease().answer().complete(new ReleaseResult.Released());
    }

    @Test
    void cancellingTheFutureWithdrawsTheWait() {
        CompletableFuture<LockHandle> acquiring = engine.acquireAsync(REQUEST);
        Sent<AcquireCommand, AcquireResult> attempt = backend.nextAcquire();
        attempt.answer().complete(contended());
        acquiring.cancel(false);

        assertThat(backend.nextWithdrawal().command().token())
                .isEqualTo(attempt.command().token());
    }

    @Test
    void givesBackTheFirstKeyWhenTheSecondCannotBeHad() {
        CompletableFuture<LockHandle> both =
                engine.acquireAsync(LockRequest.ofAll(List.of("b", "a")).withoutWaiting());
        Sent<AcquireCommand, AcquireResult> first = backend.nextAcquire();
        assertThat(first.command().key()).isEqualTo("a");
        first.answer().complete(new AcquireResult.Granted(1));
        Sent<AcquireCommand, AcquireResult> second = backend.nextAcquire();
        assertThat(second.command().key()).isEqualTo("b");
        second.answer().complete(contended());

        Sent<ReleaseCommand, ReleaseResult> back = backend.nextRelease();
        assertThat(back.command().key()).isEqualTo("a");
        back.answer().complete(new ReleaseResult.Released());
        assertThatThrownBy(() -> both.get(5, TimeUnit.SECONDS)).hasCauseInstanceOf(LockNotAcquiredException.class);
    }

    @Test
    void stoppingTellsHoldersAndWaitersAndReleases() throws Exception {
        LockHandle handle = granted(REQUEST, 1);
        CompletableFuture<LockHandle> waiting = engine.acquireAsync(REQUEST);
        backend.nextAcquire().answer().complete(contended());
        CountDownLatch lost = new CountDownLatch(1);
        handle.onLost(lost::countDown);
        CompletableFuture<Void> stopping = CompletableFuture.runAsync(engine::stop, task -> new Thread(task).start());

        assertThat(lost.await(5, TimeUnit.SECONDS)).isTrue();
        assertThatThrownBy(() -> waiting.get(5, TimeUnit.SECONDS))
                .isInstanceOf(ExecutionException.class)
                .hasCauseInstanceOf(LockBackendException.class)
                .hasMessageContaining("shut down");
        backend.nextRelease().answer().complete(new ReleaseResult.Released());
        stopping.get(5, TimeUnit.SECONDS);
        assertThatThrownBy(() -> engine.acquire(REQUEST))
                .isInstanceOf(LockBackendException.class)
                .hasMessageContaining("shut down");

        engine.start();
        assertThat(granted(REQUEST, 2).isHeld()).isTrue();
    }
}
