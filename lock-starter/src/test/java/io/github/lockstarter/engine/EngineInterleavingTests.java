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
import io.github.lockstarter.local.LocalLockBackend;
import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.LockToken;
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
    private volatile Runnable onContended = () -> {};
    private final LockEngine engine = new LockEngine(
            backend,
            EngineSettings.DEFAULTS,
            List.of(new LockListener() {
                @Override
                public void onContended(LockEvent.Contended event) {
                    onContended.run();
                }

                @Override
                public void onLost(LockEvent.Lost event) {
                    losses.add(event);
                }
            }),
            clock);

    @AfterEach
    void stop() {
        awaitStop(CompletableFuture.runAsync(engine::stop, EngineInterleavingTests::onNewThread));
    }

    private void awaitStop(CompletableFuture<Void> stopping) {
        await().until(() -> {
            backend.answerTheRest();
            return stopping.isDone();
        });
    }

    private static void onNewThread(Runnable task) {
        new Thread(task).start();
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
                CompletableFuture.supplyAsync(handle::release, EngineInterleavingTests::onNewThread);
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
                CompletableFuture.supplyAsync(handle::release, EngineInterleavingTests::onNewThread);
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
        CompletableFuture<Void> stopping =
                CompletableFuture.runAsync(engine::stop, EngineInterleavingTests::onNewThread);

        assertThat(lost.await(5, TimeUnit.SECONDS)).isTrue();
        assertThatThrownBy(() -> waiting.get(5, TimeUnit.SECONDS))
                .isInstanceOf(ExecutionException.class)
                .hasCauseInstanceOf(LockBackendException.class)
                .hasMessageContaining("shut down");
        assertThat(backend.nextRelease().command().fencingToken()).isEqualTo(1);
        assertThat(backend.nextWithdrawal().command().key()).isEqualTo(KEY);
        awaitStop(stopping);
        assertThatThrownBy(() -> engine.acquire(REQUEST))
                .isInstanceOf(LockBackendException.class)
                .hasMessageContaining("shut down");

        engine.start();
        assertThat(granted(REQUEST, 2).isHeld()).isTrue();
    }

    @Test
    void anErrorOfTheBackendIsAnUnknownOutcomeAndWedgesNothing() throws Exception {
        backend.planted = new StackOverflowError("planted");
        CompletableFuture<LockHandle> first = engine.acquireAsync(REQUEST);
        assertThatThrownBy(() -> first.get(5, TimeUnit.SECONDS)).hasCauseInstanceOf(LockBackendException.class);
        backend.nextRelease().answer().complete(new ReleaseResult.NotHeld());

        assertThat(granted(REQUEST, 1).isHeld()).isTrue();
    }

    @Test
    void refusesAGrantThatArrivesAfterTheStop() throws Exception {
        CompletableFuture<LockHandle> acquiring = engine.acquireAsync(REQUEST.withoutWaiting());
        Sent<AcquireCommand, AcquireResult> attempt = backend.nextAcquire();
        CompletableFuture<Void> stopping =
                CompletableFuture.runAsync(engine::stop, EngineInterleavingTests::onNewThread);
        await().until(() -> !engine.isRunning());
        assertThat(stopping).as("an attempt is under way").isNotDone();
        await().pollDelay(Duration.ofMillis(50)).until(() -> true); // the refusal is in place after the flag
        attempt.answer().complete(new AcquireResult.Granted(1));

        assertThatThrownBy(() -> acquiring.get(5, TimeUnit.SECONDS))
                .hasCauseInstanceOf(LockBackendException.class)
                .hasMessageContaining("shut down");
        Sent<ReleaseCommand, ReleaseResult> back = backend.nextRelease();
        assertThat(back.command().token()).isEqualTo(attempt.command().token());
        back.answer().complete(new ReleaseResult.Released());
        stopping.get(5, TimeUnit.SECONDS);
    }

    @Test
    void doesNotHandOutSeveralKeysOfWhichOneIsLostAlready() {
        CompletableFuture<LockHandle> both = engine.acquireAsync(LockRequest.ofAll(List.of("a", "b"))
                .leasedFor(Duration.ofMillis(100))
                .withoutRenewal());
        backend.nextAcquire().answer().complete(new AcquireResult.Granted(1));
        await().pollInterval(Duration.ofMillis(5)).until(() -> {
            backend.pollAcquire().ifPresent(attempt -> attempt.answer().complete(contended()));
            return engine.heldLocks().size() == 0; // the lease of the first key has run out
        });
        backend.nextAcquire().answer().complete(new AcquireResult.Granted(2));

        assertThatThrownBy(() -> both.get(5, TimeUnit.SECONDS)).hasCauseInstanceOf(LockLostException.class);
        await().until(() -> engine.heldLocks().size() == 0);
    }

    @Test
    void sendsTheReleaseOfALostLockAfterTheRenewalThatWasBeingWritten() throws Exception {
        CountDownLatch writing = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        backend.duringRenewal = () -> {
            writing.countDown();
            awaitQuietly(goOn);
        };
        LockHandle handle = granted(REQUEST.leasedFor(Duration.ofMillis(300)), 1);
        assertThat(writing.await(5, TimeUnit.SECONDS)).isTrue();
        await().until(() -> !handle.isHeld());
        assertThat(handle.release()).isEqualTo(ReleaseOutcome.LOST);
        assertThat(backend.log).noneMatch(ReleaseCommand.class::isInstance);
        goOn.countDown();

        backend.nextRelease().answer().complete(new ReleaseResult.NotHeld());
        assertThat(backend.log.get(backend.log.size() - 1)).isInstanceOf(ReleaseCommand.class);
    }

    @Test
    void tellsAThreadOnceOfALockItLostAndNeverReleased() throws Exception {
        LockRequest lapsing = REQUEST.leasedFor(Duration.ofMillis(30)).withoutRenewal();
        CompletableFuture<Long> fencingTokens = CompletableFuture.supplyAsync(
                () -> {
                    engine.acquire(lapsing);
                    await().until(() -> engine.heldLocks().size() == 0);
                    assertThatThrownBy(() -> engine.acquire(REQUEST)).isInstanceOf(LockLostException.class);
                    return engine.acquire(REQUEST).fencingToken();
                },
                EngineInterleavingTests::onNewThread);
        backend.nextAcquire().answer().complete(new AcquireResult.Granted(1));
        backend.nextAcquire().answer().complete(new AcquireResult.Granted(2));
        assertThat(fencingTokens.get(5, TimeUnit.SECONDS)).isEqualTo(2);
    }

    @Test
    void aGrantThatIsTooLateForOneWaiterIsNoFailureOfTheOthers() throws Exception {
        CompletableFuture<LockHandle> brief =
                engine.acquireAsync(REQUEST.leasedFor(Duration.ofMillis(20)).withoutRenewal());
        CompletableFuture<LockHandle> patient = engine.acquireAsync(REQUEST);
        Sent<AcquireCommand, AcquireResult> attempt = backend.nextAcquire();
        await().pollDelay(Duration.ofMillis(40)).until(() -> true); // the lease runs out before the answer
        attempt.answer().complete(new AcquireResult.Granted(1));

        assertThatThrownBy(() -> brief.get(5, TimeUnit.SECONDS)).hasMessageContaining("longer than the lease of 20ms");
        backend.nextAcquire().answer().complete(new AcquireResult.Granted(2));
        assertThat(patient.get(5, TimeUnit.SECONDS).isHeld()).isTrue();
    }

    @Test
    void aWaiterThatComesDuringAWithdrawalRegistersAgain() throws Exception {
        CompletableFuture<LockHandle> leaving = engine.acquireAsync(REQUEST);
        backend.nextAcquire().answer().complete(contended());
        CompletableFuture<LockHandle> newcomer = new CompletableFuture<>();
        backend.duringWithdrawal = () -> {
            engine.acquireAsync(REQUEST).thenAccept(newcomer::complete);
            backend.nextAcquire().answer().complete(contended());
        };
        leaving.cancel(false);

        backend.nextAcquire().answer().complete(new AcquireResult.Granted(1));
        assertThat(newcomer.get(5, TimeUnit.SECONDS).isHeld()).isTrue();
    }

    @Test
    void looksAgainAlthoughAListenerHoldsTheThreadUpThatQueuedTheWaiter() throws Exception {
        CompletableFuture<LockHandle> first = engine.acquireAsync(REQUEST);
        Sent<AcquireCommand, AcquireResult> attempt = backend.nextAcquire();
        CountDownLatch told = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        onContended = () -> {
            told.countDown();
            awaitQuietly(goOn);
        };
        CompletableFuture<LockHandle> second = CompletableFuture.supplyAsync(
                        () -> engine.acquireAsync(REQUEST), EngineInterleavingTests::onNewThread)
                .thenCompose(waiting -> waiting);
        assertThat(told.await(5, TimeUnit.SECONDS)).isTrue();
        attempt.answer().complete(new AcquireResult.Granted(1));
        assertThat(first.get(5, TimeUnit.SECONDS).isHeld()).isTrue();
        backend.nextAcquire().answer().complete(new AcquireResult.Contended(Optional.of(Duration.ofMillis(20)), 7));
        goOn.countDown();

        backend.nextAcquire().answer().complete(new AcquireResult.Granted(2));
        assertThat(second.get(5, TimeUnit.SECONDS).fencingToken()).isEqualTo(2);
    }

    @Test
    void signalsALossSoonAfterASuspension() throws Exception {
        LockHandle handle = granted(REQUEST, 1);
        CountDownLatch lost = new CountDownLatch(1);
        handle.onLost(lost::countDown);
        wallMillis.addAndGet(30_100);
        // Far below the third of the lease at which the next renewal would find out.
        assertThat(lost.await(4, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void forgetsTheCallbacksOfAReleasedNestedHold() throws Exception {
        AtomicInteger called = new AtomicInteger();
        CompletableFuture<LockHandle> outer = CompletableFuture.supplyAsync(
                () -> {
                    LockHandle handle = engine.acquire(REQUEST);
                    LockHandle nested = engine.acquire(REQUEST);
                    nested.onLost(called::incrementAndGet);
                    assertThat(nested.release()).isEqualTo(ReleaseOutcome.STILL_HELD);
                    return handle;
                },
                EngineInterleavingTests::onNewThread);
        backend.nextAcquire().answer().complete(new AcquireResult.Granted(1));
        CountDownLatch outerTold = new CountDownLatch(1);
        LockHandle handle = outer.get(5, TimeUnit.SECONDS);
        handle.onLost(outerTold::countDown);
        wallMillis.addAndGet(30_100);

        assertThat(handle.isHeld()).isFalse();
        assertThat(outerTold.await(5, TimeUnit.SECONDS)).isTrue();
        assertThat(called).hasValue(0);
    }

    @Test
    void probesWithOneReleaseAtATimeWhileTheBackendDoesNotAnswer() throws Exception {
        for (int i = 0; i < 20; i++) {
            CompletableFuture<LockHandle> acquiring = engine.acquireAsync(LockRequest.of("order:" + i));
            backend.nextAcquire().answer().complete(new AcquireResult.Unknown("no answer within 2s", cause));
            assertThatThrownBy(() -> acquiring.get(5, TimeUnit.SECONDS)).isInstanceOf(ExecutionException.class);
            if (i == 0) {
                backend.nextRelease().answer().complete(new ReleaseResult.Unknown("no answer within 2s", cause));
            }
        }
        Sent<ReleaseCommand, ReleaseResult> probe = backend.nextRelease();
        assertThat(backend.isQuiet()).as("one probe only").isTrue();
        probe.answer().complete(new ReleaseResult.NotHeld());
        for (int i = 0; i < 19; i++) {
            backend.nextRelease().answer().complete(new ReleaseResult.NotHeld());
        }
        assertThat(backend.isQuiet()).isTrue();
    }

    @Test
    void cleansUpForAsLongAsAnExtensionMayHaveMadeTheLease() throws Exception {
        LockHandle handle = granted(REQUEST.leasedFor(Duration.ofMillis(200)).withoutRenewal(), 1);
        CompletableFuture<Void> extending = CompletableFuture.runAsync(
                () -> handle.extend(Duration.ofSeconds(30)), EngineInterleavingTests::onNewThread);
        backend.nextRenewal().answer().complete(new RenewResult.Renewed());
        extending.get(5, TimeUnit.SECONDS);
        CompletableFuture.supplyAsync(handle::release, EngineInterleavingTests::onNewThread);
        for (int i = 0; i < 5; i++) { // 50 + 100 + 200 + 400 ms: beyond the first lease
            backend.nextRelease().answer().complete(new ReleaseResult.Unknown("no answer", cause));
        }
    }

    @Test
    void aFutureThatWasServedBeforeItsQueueKnewDoesNotWithdrawItsOwnLock() throws Exception {
        for (int i = 0; i < 200; i++) {
            LockHandle handle = granted(REQUEST, i + 1);
            assertThat(handle.isHeld()).isTrue();
            CompletableFuture<ReleaseOutcome> releasing =
                    CompletableFuture.supplyAsync(handle::release, EngineInterleavingTests::onNewThread);
            backend.nextRelease().answer().complete(new ReleaseResult.Released());
            assertThat(releasing.get(5, TimeUnit.SECONDS)).isEqualTo(ReleaseOutcome.RELEASED);
        }
        assertThat(backend.isQuiet()).as("no withdrawal").isTrue();
    }

    @Test
    void aReleaseThatIsRefusedAtOnceIsNotRepeatedAtOnce() throws Exception {
        LockHandle handle = granted(REQUEST, 1);
        backend.refusesReleases = true;
        assertThat(handle.release()).isEqualTo(ReleaseOutcome.UNKNOWN);
        await().pollDelay(Duration.ofMillis(300)).until(() -> true); // probes come after 50, 100 and 200 ms
        assertThat(backend.log).filteredOn(ReleaseCommand.class::isInstance).hasSizeBetween(2, 6);
        backend.refusesReleases = false;
        backend.nextRelease().answer().complete(new ReleaseResult.Released());
    }

    @Test
    void stoppingReturnsWhenTheLastAnswerComesInTheSameMoment() throws Exception {
        for (int i = 0; i < 300; i++) {
            BackendCalls calls = new BackendCalls(backend);
            calls.release(new ReleaseCommand(KEY, new LockToken("instance", i), 0), result -> {});
            Sent<ReleaseCommand, ReleaseResult> last = backend.nextRelease();
            onNewThread(() -> last.answer().complete(new ReleaseResult.Released()));
            calls.quiet().get(5, TimeUnit.SECONDS);
        }
    }

    @Test
    void everyWaitThatListenersAreToldOfIsEndedForThemToo() throws Exception {
        AtomicInteger waiting = new AtomicInteger();
        ManualBackend own = new ManualBackend();
        LockEngine counted = new LockEngine(
                own,
                EngineSettings.DEFAULTS,
                List.of(new LockListener() {
                    @Override
                    public void onContended(LockEvent.Contended event) {
                        waiting.incrementAndGet();
                    }

                    @Override
                    public void onNotAcquired(LockEvent.NotAcquired event) {
                        if (event.queued()) {
                            waiting.decrementAndGet();
                        }
                    }
                }),
                clock);
        for (int i = 0; i < 300; i++) {
            CompletableFuture<LockHandle> acquiring = counted.acquireAsync(LockRequest.of("order:" + i));
            Sent<AcquireCommand, AcquireResult> attempt = own.nextAcquire();
            CountDownLatch answered = new CountDownLatch(1);
            onNewThread(() -> {
                attempt.answer().complete(contended());
                answered.countDown();
            });
            acquiring.cancel(false);
            assertThat(answered.await(5, TimeUnit.SECONDS)).isTrue();
        }
        await().untilAsserted(() -> assertThat(waiting).hasValue(0));
        own.answerTheRest();
        counted.stop();
    }

    @Test
    void aReleaseDuringTheStopIsReportedOnce() throws Exception {
        AtomicInteger released = new AtomicInteger();
        for (int i = 0; i < 100; i++) {
            released.set(0);
            LockEngine stopping = new LockEngine(
                    new LocalLockBackend(),
                    EngineSettings.DEFAULTS,
                    List.of(new LockListener() {
                        @Override
                        public void onReleased(LockEvent.Released event) {
                            released.incrementAndGet();
                        }
                    }),
                    EngineClock.SYSTEM);
            LockHandle handle = stopping.acquireAsync(REQUEST).get(5, TimeUnit.SECONDS);
            CountDownLatch left = new CountDownLatch(1);
            onNewThread(() -> {
                handle.release();
                left.countDown();
            });
            stopping.stop();
            assertThat(left.await(5, TimeUnit.SECONDS)).isTrue();
            assertThat(released).hasValue(1);
        }
    }
}
