package io.github.lockstarter.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockBackendException;
import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockHolder;
import io.github.lockstarter.LockInterruptedException;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockNotAcquiredException;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.ReleaseOutcome;
import io.github.lockstarter.contract.Application;
import io.github.lockstarter.engine.ManualBackend.Sent;
import io.github.lockstarter.engine.settings.EngineClock;
import io.github.lockstarter.engine.settings.EngineSettings;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireCommand.Waiting;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.LockThreads;
import io.github.lockstarter.spi.ReleaseCommand;
import io.github.lockstarter.spi.ReleaseResult;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Acquiring with answers that are late, missing or at the worst moment. */
class EngineAcquireInterleavingTests extends EngineInterleavings {

    /** Long enough for a second attempt by a newly started JVM on a busy machine. */
    private static final Duration LONGER_THAN_A_LOOK = Duration.ofSeconds(1);

    @Test
    void releasesAnUnansweredAttemptInTheBackground() {
        CompletableFuture<LockHandle> acquiring = engine.acquireAsync(REQUEST);
        Sent<AcquireCommand, AcquireResult> attempt = backend.nextAcquire();
        attempt.answer().complete(new AcquireResult.Unknown("no answer within 2s", cause));

        assertFails(acquiring, LockBackendException.class)
                .hasMessageContaining(
                        "The caller does not hold lock 'order:42': no answer within 2s. The store may have"
                                + " executed the request; if so, the grant is released in the background, or ends with"
                                + " its lease");
        Sent<ReleaseCommand, ReleaseResult> first = backend.nextRelease();
        assertThat(first.command().token()).isEqualTo(attempt.command().token());
        first.answer().complete(new ReleaseResult.Unknown("no answer", cause));
        backend.nextRelease().answer().complete(new ReleaseResult.NotHeld());
    }

    @Test
    void doesNotReleaseAnAttemptThatWasCertainlyRefused() {
        CompletableFuture<LockHandle> acquiring = engine.acquireAsync(REQUEST);
        backend.nextAcquire().answer().complete(new AcquireResult.Rejected("NOPERM", cause));

        assertFails(acquiring, LockBackendException.class)
                .hasMessageContaining("Lock 'order:42' was not acquired: NOPERM");
        assertThat(backend.isQuiet()).isTrue();
    }

    @Test
    void failsEveryWaiterOfTheInstanceWhenTheBackendFails() {
        CompletableFuture<LockHandle> first = engine.acquireAsync(REQUEST);
        CompletableFuture<LockHandle> second = engine.acquireAsync(REQUEST);
        backend.nextAcquire().answer().complete(new AcquireResult.Rejected("connection refused", cause));

        for (CompletableFuture<LockHandle> waiter : List.of(first, second)) {
            assertFails(waiter, LockBackendException.class);
        }
    }

    @Test
    void sendsOneAttemptForAnyNumberOfWaitingThreads() throws Exception {
        CompletableFuture<LockHandle> first = engine.acquireAsync(REQUEST);
        CompletableFuture<LockHandle> second = engine.acquireAsync(REQUEST);
        engine.acquireAsync(REQUEST);
        Sent<AcquireCommand, AcquireResult> attempt = backend.nextAcquire();
        assertThat(backend.isQuiet()).isTrue();

        attempt.answer().complete(new AcquireResult.Granted(1, 0));
        LockHandle holder = resultOf(first);
        assertThat(backend.isQuiet())
                .as("held here: no other attempt is needed")
                .isTrue();
        releasing(holder);
        backend.nextRelease();
        Sent<AcquireCommand, AcquireResult> next = backend.nextAcquire();
        assertThat(next.command().fencingFloor()).isEqualTo(1);
        assertThat(backend.isQuiet()).isTrue();
        next.answer().complete(new AcquireResult.Granted(2, 0));
        assertThat(resultOf(second).fencingToken()).isEqualTo(2);
    }

    @Test
    void triesAgainAtOnceAfterASignalDuringTheAttempt() {
        engine.acquireAsync(REQUEST);
        Sent<AcquireCommand, AcquireResult> attempt = backend.nextAcquire();
        backend.signal(KEY);
        attempt.answer().complete(contended());

        Sent<AcquireCommand, AcquireResult> again = backend.nextAcquire();
        assertThat(again.command().waiting().orElseThrow().position()).isEqualTo(7);
        again.answer().complete(new AcquireResult.Granted(1, 0));
    }

    /** The limit for a storm of signals is counted from each grant. */
    @Test
    void triesAgainAtOnceAfterASignalDespiteManyEarlierOnes() throws Exception {
        CompletableFuture<LockHandle> acquiring = engine.acquireAsync(REQUEST);
        for (int i = 0; i < 10; i++) {
            Sent<AcquireCommand, AcquireResult> attempt = backend.nextAcquire();
            backend.signal(KEY);
            attempt.answer().complete(contended());
            Optional<Sent<AcquireCommand, AcquireResult>> again = backend.pollAcquire();
            assertThat(again).as("in round " + i).isPresent();
            again.get().answer().complete(grant(100L * (i + 1), 0));
            LockHandle held = resultOf(acquiring);
            // With another lease, so that it gets no handover.
            acquiring = engine.acquireAsync(REQUEST.lease(Duration.ofSeconds(10 + i)));
            CompletableFuture<ReleaseOutcome> released = releasing(held);
            backend.nextRelease().answer().complete(new ReleaseResult.Released(0));
            resultOf(released); // its thread has sent the next attempt
        }
    }

    @Test
    void aGrantUsesUpASignalThatCameDuringItsAttempt() throws Exception {
        CompletableFuture<LockHandle> first = engine.acquireAsync(REQUEST);
        Sent<AcquireCommand, AcquireResult> attempt = backend.nextAcquire();
        backend.signal(KEY);
        attempt.answer().complete(new AcquireResult.Granted(1, 0));
        resultOf(first);
        engine.acquireAsync(REQUEST);
        assertThat(backend.isQuiet()).as("held here: no attempt is needed").isTrue();
    }

    /** The lock may have become free between that attempt and its call. */
    @Test
    void aTryDuringAContendedAttemptIsAnsweredByTheNextAttempt() throws Exception {
        CompletableFuture<LockHandle> first = engine.acquireAsync(REQUEST.withoutWaiting());
        Sent<AcquireCommand, AcquireResult> attempt = backend.nextAcquire();
        CompletableFuture<LockHandle> second = engine.acquireAsync(REQUEST.withoutWaiting());
        assertThat(backend.isQuiet()).as("one attempt at a time").isTrue();
        attempt.answer().complete(contended());

        assertFails(first, LockNotAcquiredException.class);
        backend.nextAcquire().answer().complete(new AcquireResult.Granted(1, 0));
        assertThat(resultOf(second).isHeld()).isTrue();
    }

    /** As a try. */
    @Test
    void aWaiterDuringAContendedAttemptIsAnsweredByTheNextAttempt() throws Exception {
        CompletableFuture<LockHandle> first = engine.acquireAsync(REQUEST);
        Sent<AcquireCommand, AcquireResult> attempt = backend.nextAcquire();
        CompletableFuture<LockHandle> brief = waitedInVain(REQUEST);
        attempt.answer().complete(contended());

        backend.nextAcquire().answer().complete(new AcquireResult.Granted(1, 0));
        assertThat(resultOf(brief).isHeld()).isTrue();
        assertThat(first).isNotDone();
    }

    /** The lock may be free since the release, until the instance that was signalled takes it. */
    @Test
    void aWaiterDuringAReleaseThatSignalsAnotherInstanceIsAnsweredByTheNextAttempt() throws Exception {
        LockHandle held = waitedFor(REQUEST, 1, 1);
        CompletableFuture<LockHandle> patient = engine.acquireAsync(REQUEST.lease(Duration.ofSeconds(20)));
        releasing(held);
        Sent<ReleaseCommand, ReleaseResult> release = backend.nextRelease();
        assertThat(release.command().requeue()).isPresent();
        CompletableFuture<LockHandle> brief = waitedInVain(REQUEST);
        release.answer().complete(new ReleaseResult.Released(1));

        backend.nextAcquire().answer().complete(new AcquireResult.Granted(2, 0));
        assertThat(resultOf(brief).isHeld()).isTrue();
        assertThat(patient).isNotDone();
    }

    /** Asks for the lock later than all before, and has waited without an answer. */
    private CompletableFuture<LockHandle> waitedInVain(LockRequest request) throws Exception {
        letPass(Duration.ofMillis(1));
        CompletableFuture<LockHandle> brief = engine.acquireAsync(request.maxWait(Duration.ofMillis(20)));
        letPass(Duration.ofMillis(20));
        settle();
        assertThat(brief).isNotDone();
        return brief;
    }

    /** Otherwise the waiter would wait for the next retry of the first one. */
    @Test
    void anAttemptOfATryAlsoAnswersWaitersWhoseWaitIsOver() throws Exception {
        CompletableFuture<LockHandle> first = engine.acquireAsync(REQUEST);
        backend.nextAcquire().answer().complete(contended());
        CompletableFuture<LockHandle> trying = engine.acquireAsync(REQUEST.withoutWaiting());
        Sent<AcquireCommand, AcquireResult> attempt = backend.nextAcquire();
        CompletableFuture<LockHandle> brief = engine.acquireAsync(REQUEST.maxWait(Duration.ofMillis(20)));
        letPass(Duration.ofMillis(20)); // its wait is over before the answer
        settle();
        attempt.answer().complete(new AcquireResult.Rejected("NOPERM", cause));

        for (CompletableFuture<LockHandle> answered : List.of(trying, brief)) {
            assertFails(answered, LockBackendException.class).hasMessageContaining("NOPERM");
        }
        assertThat(first).isNotDone();
    }

    /** After a failure another attempt would only double the time. */
    @Test
    void aTryDuringAFailingAttemptFailsWithIt() {
        CompletableFuture<LockHandle> first = engine.acquireAsync(REQUEST.withoutWaiting());
        Sent<AcquireCommand, AcquireResult> attempt = backend.nextAcquire();
        CompletableFuture<LockHandle> second = engine.acquireAsync(REQUEST.withoutWaiting());
        attempt.answer().complete(new AcquireResult.Unknown("no answer within 2s", cause));

        for (CompletableFuture<LockHandle> answered : List.of(first, second)) {
            assertFails(answered, LockBackendException.class).hasMessageContaining("no answer within 2s");
        }
        assertThat(backend.pollAcquire()).isEmpty();
    }

    @Test
    void anAttemptStillAnswersOtherCallersWhenItsWaiterGivesUp() throws Exception {
        Owed owed = attemptWhoseWaiterGaveUp();
        assertThat(backend.isQuiet()).as("neither withdrawn nor restarted").isTrue();
        assertThat(owed.shorter()).isNotDone();

        owed.attempt().answer().complete(contended());

        assertFails(owed.shorter(), LockNotAcquiredException.class);
        assertThat(backend.nextWithdrawal().command().token())
                .isEqualTo(owed.attempt().command().token());
    }

    @Test
    void aGrantGoesToTheNextWaiterWithTheSameTermsWhenItsWaiterGaveUp() throws Exception {
        Owed owed = attemptWhoseWaiterGaveUp();

        owed.attempt().answer().complete(new AcquireResult.Granted(1, 0));

        LockHandle taken = resultOf(owed.shorter());
        assertThat(taken.fencingToken()).isEqualTo(1);
        assertThat(backend.isQuiet())
                .as("neither given back nor asked for again")
                .isTrue();
        releasing(taken);
        assertThat(backend.nextRelease().command().token())
                .isEqualTo(owed.attempt().command().token());
    }

    @Test
    void releasesAGrantWhoseWaiterGaveUpWhenTheNextOneAsksForAnotherLease() throws Exception {
        CompletableFuture<LockHandle> fickle = engine.acquireAsync(REQUEST);
        Sent<AcquireCommand, AcquireResult> attempt = backend.nextAcquire();
        CompletableFuture<LockHandle> other = engine.acquireAsync(REQUEST.lease(Duration.ofSeconds(10)));
        fickle.cancel(false);
        attempt.answer().complete(new AcquireResult.Granted(1, 0));

        assertThat(backend.nextRelease().command().token())
                .isEqualTo(attempt.command().token());
        Sent<AcquireCommand, AcquireResult> next = backend.nextAcquire();
        assertThat(next.command().lease()).isEqualTo(Duration.ofSeconds(10));
        next.answer().complete(new AcquireResult.Granted(2, 0));
        assertThat(resultOf(other).fencingToken()).isEqualTo(2);
    }

    /** An attempt whose waiter has given up, and a second caller whose wait is over without an answer. */
    private record Owed(Sent<AcquireCommand, AcquireResult> attempt, CompletableFuture<LockHandle> shorter) {}

    private Owed attemptWhoseWaiterGaveUp() {
        CompletableFuture<LockHandle> first = engine.acquireAsync(REQUEST.maxWait(Duration.ofMillis(400)));
        backend.nextAcquire().answer().complete(contended());
        CompletableFuture<LockHandle> shorter = engine.acquireAsync(REQUEST.maxWait(Duration.ofMillis(390)));
        backend.signal(KEY);
        Sent<AcquireCommand, AcquireResult> attempt = backend.nextAcquire();
        letPass(Duration.ofMillis(400));
        assertFails(first, LockNotAcquiredException.class);
        return new Owed(attempt, shorter);
    }

    /** The grant to a try keeps the place in the queue for the waiters. */
    @Test
    void withdrawsAWaitThatEndsWhileATryHoldsTheLock() throws Exception {
        CompletableFuture<LockHandle> waiting = engine.acquireAsync(REQUEST);
        Sent<AcquireCommand, AcquireResult> registration = backend.nextAcquire();
        registration.answer().complete(contended());
        CompletableFuture<LockHandle> trying = engine.acquireAsync(REQUEST.withoutWaiting());
        Sent<AcquireCommand, AcquireResult> attempt = backend.nextAcquire();
        assertThat(attempt.command().waiting()).isEmpty();
        attempt.answer().complete(new AcquireResult.Granted(1, 0));
        resultOf(trying);
        assertThat(backend.isQuiet()).as("one still waits").isTrue();

        waiting.cancel(true);

        assertThat(backend.nextWithdrawal().command().token())
                .isEqualTo(registration.command().token());
    }

    @Test
    void passesOnASignalWhenNobodyWaits() {
        backend.signal(KEY);
        backend.nextWithdrawal().answer().complete(new ReleaseResult.Released(0));
        assertThat(backend.isQuiet()).isTrue();
    }

    @Test
    void releasesAGrantWhoseCallerWasInterruptedDuringTheAttempt() throws Exception {
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

        assertThat(resultOf(thrown)).isInstanceOf(LockInterruptedException.class);
        assertThat(flagged).hasValue(1);
        assertThat(backend.isQuiet()).as("nothing follows before the answer").isTrue();
        attempt.answer().complete(new AcquireResult.Granted(1, 0));
        assertThat(backend.nextRelease().command().token())
                .isEqualTo(attempt.command().token());
        assertThat(engine.heldLocks().size()).isZero();
    }

    @Test
    void endsTheWaitInTimeEvenIfALaterAttemptIsUnanswered() {
        CompletableFuture<LockHandle> acquiring = engine.acquireAsync(REQUEST.maxWait(LONGER_THAN_A_LOOK));
        backend.nextAcquire().answer().complete(contended());
        letPass(Duration.ofMillis(100));
        Sent<AcquireCommand, AcquireResult> secondLook = backend.nextAcquire();
        letPass(LONGER_THAN_A_LOOK);

        assertFails(acquiring, LockNotAcquiredException.class)
                .hasMessageContaining("within 1s (2 attempts): held by another owner; its lease ends in 20s"
                        + " unless it is renewed");
        assertThat(backend.isQuiet()).as("nothing follows before the answer").isTrue();
        secondLook.answer().complete(contended());
        var withdrawal = backend.nextWithdrawal();
        assertThat(withdrawal.command().token()).isEqualTo(secondLook.command().token());
        withdrawal.answer().complete(new ReleaseResult.Released(0));
    }

    @Test
    void theExceptionSaysWhereTheInstanceOfTheHolderRuns() {
        CompletableFuture<LockHandle> acquiring = engine.acquireAsync(REQUEST.withoutWaiting());
        LockHolder holder = new LockHolder(
                "3f2a91c0",
                Optional.of("pod-7"),
                Optional.of("orders"),
                Optional.of("http-1"),
                Optional.of(Instant.EPOCH));
        backend.nextAcquire()
                .answer()
                .complete(new AcquireResult.Contended(
                        Optional.of(Duration.ofSeconds(20)), 0, Optional.of(holder), false));

        assertThatThrownBy(() -> resultOf(acquiring))
                .hasMessageContaining("held by thread 'http-1' of instance 3f2a91c0 (pod-7/orders), which has held it"
                        + " since 1970-01-01T00:00:00Z; its lease ends in 20s unless it is renewed."
                        + " Raise maxWait, or shorten the locked section.");
    }

    @Test
    void releasesAGrantThatArrivesAfterItsWaitHasEnded() {
        CompletableFuture<LockHandle> acquiring = engine.acquireAsync(REQUEST.maxWait(LONGER_THAN_A_LOOK));
        backend.nextAcquire().answer().complete(contended());
        letPass(Duration.ofMillis(100));
        Sent<AcquireCommand, AcquireResult> secondLook = backend.nextAcquire();
        letPass(LONGER_THAN_A_LOOK);

        assertFails(acquiring, LockNotAcquiredException.class);
        secondLook.answer().complete(new AcquireResult.Granted(1, 0));
        assertThat(backend.nextRelease().command().token())
                .isEqualTo(secondLook.command().token());
        assertThat(engine.heldLocks().size()).isZero();
    }

    @Test
    void reportsContentionOnlyAfterTheBackendAnswered() {
        CompletableFuture<LockHandle> first = engine.acquireAsync(REQUEST);
        CompletableFuture<LockHandle> second = engine.acquireAsync(REQUEST.maxWait(Duration.ofMillis(20)));
        Sent<AcquireCommand, AcquireResult> attempt = backend.nextAcquire();
        letPass(Duration.ofMillis(120)); // the second wait is over long before the answer
        await().during(Duration.ofMillis(Patience.MOMENT_MILLIS))
                .untilAsserted(() -> assertThat(second).isNotDone());

        attempt.answer().complete(new AcquireResult.Unknown("no answer within 2s", cause));
        for (CompletableFuture<LockHandle> waiter : List.of(first, second)) {
            assertFails(waiter, LockBackendException.class);
        }
    }

    @Test
    void refusesAGrantWhoseAnswerTakesLongerThanTheLease() throws Exception {
        CompletableFuture<LockHandle> acquiring = engine.acquireAsync(REQUEST);
        Sent<AcquireCommand, AcquireResult> attempt = backend.nextAcquire();
        suspend(Duration.ofSeconds(31));
        attempt.answer().complete(new AcquireResult.Granted(1, 0));

        assertFails(acquiring, LockBackendException.class).hasMessageContaining("longer than the lease");
        assertThat(backend.nextRelease().command().token())
                .isEqualTo(attempt.command().token());
    }

    @Test
    void cancellingTheFutureWithdrawsTheWait() {
        CompletableFuture<LockHandle> acquiring = engine.acquireAsync(REQUEST);
        Sent<AcquireCommand, AcquireResult> attempt = backend.nextAcquire();
        attempt.answer().complete(contended());
        acquiring.cancel(false);

        assertThat(backend.nextWithdrawal().command().key()).isEqualTo(KEY);
    }

    @Test
    void releasesTheFirstKeyWhenTheSecondIsRefused() {
        CompletableFuture<LockHandle> both =
                engine.acquireAsync(LockRequest.ofAll(List.of("b", "a")).withoutWaiting());
        Sent<AcquireCommand, AcquireResult> first = backend.nextAcquire();
        assertThat(first.command().key()).isEqualTo("a");
        first.answer().complete(new AcquireResult.Granted(1, 0));
        Sent<AcquireCommand, AcquireResult> second = backend.nextAcquire();
        assertThat(second.command().key()).isEqualTo("b");
        second.answer().complete(contended());

        Sent<ReleaseCommand, ReleaseResult> back = backend.nextRelease();
        assertThat(back.command().key()).isEqualTo("a");
        back.answer().complete(new ReleaseResult.Released(0));
        assertFails(both, LockNotAcquiredException.class);
    }

    @Test
    void anErrorThrownByTheBackendIsAnUnknownOutcomeAndBlocksNoKey() throws Exception {
        backend.planted = new StackOverflowError("planted");
        CompletableFuture<LockHandle> first = engine.acquireAsync(REQUEST);
        assertFails(first, LockBackendException.class);
        backend.nextRelease().answer().complete(new ReleaseResult.NotHeld());

        assertThat(granted(REQUEST, 1).isHeld()).isTrue();
    }

    @Test
    void doesNotReturnSeveralKeysWhenOneIsAlreadyLost() {
        CompletableFuture<LockHandle> both = engine.acquireAsync(LockRequest.ofAll(List.of("a", "b"))
                .lease(Duration.ofSeconds(1))
                .withoutRenewal());
        backend.nextAcquire().answer().complete(new AcquireResult.Granted(1, 0));
        backend.nextAcquire().answer().complete(contended());
        letPass(Duration.ofSeconds(1));
        await().pollInterval(Duration.ofMillis(5)).until(() -> {
            backend.pollAcquire().ifPresent(attempt -> attempt.answer().complete(contended()));
            return engine.heldLocks().size() == 0; // the lease of the first key is over
        });
        backend.nextAcquire().answer().complete(new AcquireResult.Granted(2, 0));

        assertFails(both, LockLostException.class);
        await().until(() -> engine.heldLocks().size() == 0);
    }

    @Test
    void aGrantTooLateForOneWaiterDoesNotFailTheOthers() throws Exception {
        CompletableFuture<LockHandle> brief =
                engine.acquireAsync(REQUEST.lease(Duration.ofMillis(20)).withoutRenewal());
        CompletableFuture<LockHandle> patient = engine.acquireAsync(REQUEST);
        Sent<AcquireCommand, AcquireResult> attempt = backend.nextAcquire();
        letPass(Duration.ofMillis(20)); // the lease is over before the answer
        attempt.answer().complete(new AcquireResult.Granted(1, 0));

        assertThatThrownBy(() -> resultOf(brief)).hasMessageContaining("longer than the lease of 20ms");
        backend.nextAcquire().answer().complete(new AcquireResult.Granted(2, 0));
        assertThat(resultOf(patient).isHeld()).isTrue();
    }

    /** Otherwise the last caller would wait for one answer per caller. */
    @Test
    void aGrantThatIsTooLateAnswersAllTriesAndEndedWaits() {
        CompletableFuture<LockHandle> first = engine.acquireAsync(REQUEST);
        Sent<AcquireCommand, AcquireResult> attempt = backend.nextAcquire();
        CompletableFuture<LockHandle> trying = engine.acquireAsync(REQUEST.withoutWaiting());
        CompletableFuture<LockHandle> brief = new CompletableFuture<>();
        Thread owed = new Thread(
                () -> brief.completeAsync(() -> engine.acquire(REQUEST.maxWait(Duration.ofMillis(20))), Runnable::run));
        owed.start();
        await().pollInterval(Duration.ofMillis(2)).until(() -> owed.getState() == Thread.State.WAITING);
        letPass(Duration.ofSeconds(31));
        attempt.answer().complete(grant(1, 0));

        for (CompletableFuture<LockHandle> answered : List.of(first, trying, brief)) {
            assertFails(answered, LockBackendException.class).hasMessageContaining("longer than the lease");
        }
        assertThat(backend.pollAcquire()).isEmpty();
    }

    @Test
    void aWaiterThatArrivesDuringAWithdrawalRegistersAfterItsAnswer() throws Exception {
        CompletableFuture<LockHandle> leaving = engine.acquireAsync(REQUEST);
        backend.nextAcquire().answer().complete(contended());
        CompletableFuture<LockHandle> newWaiting = new CompletableFuture<>();
        backend.duringWithdrawal = () -> engine.acquireAsync(REQUEST).thenAccept(newWaiting::complete);
        leaving.cancel(false);
        Sent<ReleaseCommand, ReleaseResult> withdrawal = backend.nextWithdrawal();
        assertThat(backend.isQuiet()).as("nothing follows before the answer").isTrue();
        withdrawal.answer().complete(new ReleaseResult.Released(0));

        Sent<AcquireCommand, AcquireResult> attempt = backend.nextAcquire();
        assertThat(attempt.command().waiting().orElseThrow().position()).isEqualTo(Waiting.NEW);
        attempt.answer().complete(new AcquireResult.Granted(1, 0));
        assertThat(resultOf(newWaiting).isHeld()).isTrue();
    }

    /** The known answer is from before its call: the lock may be free since then. */
    @Test
    void aWaiterThatArrivesDuringAnUnansweredWithdrawalFailsWithIt() throws Exception {
        CompletableFuture<LockHandle> leaving = engine.acquireAsync(REQUEST);
        backend.nextAcquire().answer().complete(contended());
        leaving.cancel(false);
        Sent<ReleaseCommand, ReleaseResult> withdrawal = backend.nextWithdrawal();
        CompletableFuture<LockHandle> waiting = engine.acquireAsync(REQUEST.maxWait(Duration.ofMillis(1)));
        await().until(() -> waiting.isDone() || engine.admin().waiters().isEmpty()); // its wait is over
        withdrawal.answer().complete(new ReleaseResult.Unknown("no answer within 2s", cause));

        assertFails(waiting, LockBackendException.class).hasMessageContaining("was not acquired: no answer within 2s");
    }

    /** Each may have used up this instance's place in the store's queue. */
    @Test
    void eachSignalThatOvertakesTheAnswerToAnAttemptCausesTheNextOne() throws Exception {
        ManualBackend manual = new ManualBackend();
        try (LockEngine trusting =
                new LockEngine(manual, Application.settingsThatTrustSignals(), List.of(), EngineClock.SYSTEM)) {
            CompletableFuture<LockHandle> waiting = trusting.acquireAsync(REQUEST.maxWait(Duration.ofHours(1)));
            for (int overtaken = 0; overtaken < 12; overtaken++) {
                Sent<AcquireCommand, AcquireResult> attempt = manual.nextAcquire();
                manual.signal(KEY);
                attempt.answer().complete(contended());
            }
            manual.nextAcquire().answer().complete(grant(1, 0));

            assertThat(resultOf(waiting).isHeld()).isTrue();
            manual.refusesReleases = true;
        }
    }

    @Test
    void aTryThatArrivesDuringAnUnansweredWithdrawalFailsWithIt() {
        CompletableFuture<LockHandle> leaving = engine.acquireAsync(REQUEST);
        backend.nextAcquire().answer().complete(contended());
        leaving.cancel(false);
        Sent<ReleaseCommand, ReleaseResult> withdrawal = backend.nextWithdrawal();
        CompletableFuture<LockHandle> trying = engine.acquireAsync(REQUEST.maxWait(Duration.ZERO));
        withdrawal.answer().complete(new ReleaseResult.Unknown("no answer within 2s", cause));

        assertFails(trying, LockBackendException.class).hasMessageContaining("was not acquired: no answer within 2s");
        assertThat(backend.pollAcquire()).isEmpty();
    }

    @Test
    void retriesForAWaiterWhileAListenerBlocksItsThread() throws Exception {
        CompletableFuture<LockHandle> first = engine.acquireAsync(REQUEST);
        Sent<AcquireCommand, AcquireResult> attempt = backend.nextAcquire();
        CountDownLatch notified = new CountDownLatch(1);
        CountDownLatch attemptNext = new CountDownLatch(1);
        onContended = () -> {
            notified.countDown();
            awaitQuietly(attemptNext);
        };
        CompletableFuture<LockHandle> second = CompletableFuture.supplyAsync(
                        () -> engine.acquireAsync(REQUEST), EngineInterleavings::onNewThread)
                .thenCompose(waiting -> waiting);
        assertThat(notified.await(Patience.SECONDS, TimeUnit.SECONDS)).isTrue();
        attempt.answer().complete(new AcquireResult.Granted(1, 0));
        releasing(resultOf(first));
        backend.nextRelease();
        backend.nextAcquire().answer().complete(new AcquireResult.Contended(Optional.of(Duration.ofMillis(20)), 7));
        attemptNext.countDown();

        backend.nextAcquire().answer().complete(new AcquireResult.Granted(2, 0));
        assertThat(resultOf(second).fencingToken()).isEqualTo(2);
    }

    @Test
    void aFutureThatIsGrantedAtOnceDoesNotWithdrawItsOwnLock() throws Exception {
        for (int i = 0; i < 200; i++) {
            LockHandle handle = granted(REQUEST, i + 1);
            assertThat(handle.isHeld()).isTrue();
            CompletableFuture<ReleaseOutcome> releasing = releasing(handle);
            backend.nextRelease().answer().complete(new ReleaseResult.Released(0));
            assertThat(resultOf(releasing)).isEqualTo(ReleaseOutcome.RELEASED);
        }
        assertThat(backend.isQuiet()).as("no withdrawal").isTrue();
    }

    @Test
    void reportsTheEndOfEveryWaitThatWasReportedToListeners() throws Exception {
        AtomicInteger waiting = new AtomicInteger();
        ManualBackend own = new ManualBackend();
        LockEngine counted = new LockEngine(
                own,
                EngineSettings.DEFAULTS,
                List.of(event -> {
                    if (event instanceof LockEvent.Contended) {
                        waiting.incrementAndGet();
                    } else if (event instanceof LockEvent.NotAcquired refused && refused.queued()) {
                        waiting.decrementAndGet();
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
            assertThat(answered.await(Patience.SECONDS, TimeUnit.SECONDS)).isTrue();
        }
        await().untilAsserted(() -> assertThat(waiting).hasValue(0));
        own.answerTheRest();
        counted.stop();
    }

    @Test
    void refusesToBlockAThreadThatServesAllLocks() throws Exception {
        CompletableFuture<LockHandle> refused = new CompletableFuture<>();
        LockThreads.nonBlocking("lock-test", () -> {
                    try {
                        refused.complete(engine.acquire(REQUEST));
                    } catch (RuntimeException e) {
                        refused.completeExceptionally(e);
                    }
                })
                .start();

        assertFails(refused, IllegalStateException.class).hasMessageContainingAll(KEY, "lock-test-", "acquireAsync");
        engine.acquireAsync(LockRequest.of("the first command"));
        assertThat(backend.nextAcquire().command().key()).isEqualTo("the first command");
    }
}
