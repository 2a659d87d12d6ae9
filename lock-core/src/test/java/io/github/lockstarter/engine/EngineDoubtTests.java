package io.github.lockstarter.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.HoldState;
import io.github.lockstarter.LockBackendException;
import io.github.lockstarter.LockContext;
import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockEvent.LossCause;
import io.github.lockstarter.LockException;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockHolder;
import io.github.lockstarter.LockInterruptedException;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockMode;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockTicket;
import io.github.lockstarter.ReleaseOutcome;
import io.github.lockstarter.StoreEvent;
import io.github.lockstarter.engine.ManualBackend.Sent;
import io.github.lockstarter.engine.settings.EngineSettings;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireCommand.Waiting;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.CrashDetection;
import io.github.lockstarter.spi.CrashDetection.Beat;
import io.github.lockstarter.spi.LockThreads;
import io.github.lockstarter.spi.ReleaseResult;
import io.github.lockstarter.spi.RenewCommand;
import io.github.lockstarter.spi.RenewResult;
import io.github.lockstarter.spi.Slots;
import io.github.lockstarter.spi.TakeoverCondition;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** When a hold is certain, in doubt and confirmed; the test controls the answer to each beat. */
class EngineDoubtTests extends EngineInterleavings {

    private static final String HISTORY = "history";
    private static final String ANOTHER_HISTORY = "another history";
    private static final RenewResult RENEWED = new RenewResult.Renewed(HISTORY);
    private static final RenewResult RENEWED_THERE = new RenewResult.Renewed(ANOTHER_HISTORY);
    private static final Duration LONG = Duration.ofDays(1);
    private static final String NO_TAKEOVER = "";
    private static final String TAKEOVER_1 = "takeover 1";
    private static final String TAKEOVER_2 = "takeover 2";

    /** A beat that the test answers. */
    private record Question(List<String> waitedFor, CompletableFuture<Optional<Beat>> answer) {

        void answer(String history, String takeover, String... abandoned) {
            answer.complete(Optional.of(new Beat(history, takeover, HISTORY, LONG, List.of(abandoned))));
        }

        /** Another server answers than the one that received the beats. */
        void answerBehindAnother(String history) {
            answer.complete(Optional.of(new Beat(history, NO_TAKEOVER, "one in between", LONG, List.of())));
        }

        void answerAfterARestart(String history) {
            answer.complete(Optional.of(new Beat(history, NO_TAKEOVER, HISTORY, Duration.ZERO, List.of())));
        }
    }

    private static final class Heartbeats implements CrashDetection {

        private final LinkedBlockingQueue<Question> asked = new LinkedBlockingQueue<>();
        private volatile TakeoverCondition condition = TakeoverCondition.NONE;
        private volatile boolean hearsSignals = true;
        private volatile Duration commandTimeout = Duration.ofSeconds(5);

        @Override
        public CompletionStage<Optional<Beat>> beat(List<String> waitedFor) {
            Question question = new Question(waitedFor, new CompletableFuture<>());
            asked.add(question);
            return question.answer;
        }

        @Override
        public boolean hearsSignals() {
            return hearsSignals;
        }

        @Override
        public Duration commandTimeout() {
            return commandTimeout;
        }

        @Override
        public TakeoverCondition takeoverCondition() {
            return condition;
        }

        Question next() {
            try {
                Question question = asked.poll(Patience.SECONDS, TimeUnit.SECONDS);
                assertThat(question).as("a beat").isNotNull();
                return question;
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
    }

    private final Heartbeats heartbeats;

    EngineDoubtTests() {
        super(new ManualBackend(Optional.of(new Heartbeats())), EngineSettings.Handover.DEFAULTS);
        this.heartbeats = (Heartbeats) backend.crashDetection().orElseThrow();
    }

    @Test
    void unansweredBeatsReportAnOutageAndAnyAnswerEndsIt() {
        beginOutage();
        backend.opened();
        heartbeats.next().answer.complete(Optional.empty());
        await().untilAsserted(this::assertOutageIsOver);
    }

    @Test
    void anAnswerToAnOperatorEndsTheOutage() {
        beginOutage();
        engine.admin().inspect(KEY).join();
        assertThat(storeEvents).as("the store cannot tell").hasSize(1);
        engine.admin().storeState().join();
        assertOutageIsOver();
    }

    private void beginOutage() {
        await().until(() -> {
            backend.opened();
            heartbeats.next().answer.completeExceptionally(new TimeoutException("no answer"));
            return !storeEvents.isEmpty();
        });
        assertThat(storeEvents).singleElement().isInstanceOf(StoreEvent.Unreachable.class);
    }

    private void assertOutageIsOver() {
        assertThat(storeEvents).hasSize(2).last().isInstanceOf(StoreEvent.Reachable.class);
    }

    /** Granted after an answered beat. */
    private LockHandle certain() throws Exception {
        answered(HISTORY, NO_TAKEOVER);
        return granted(REQUEST, 1);
    }

    @Test
    void aHoldIsCertainForTheTakeoverTimeAfterTheLastBeatWasSent() throws Exception {
        LockHandle held = certain();
        assertThat(held.state()).isEqualTo(HoldState.HELD);

        letPass(TAKEOVER);

        assertThat(held.state()).isEqualTo(HoldState.IN_DOUBT);
        assertThat(held.isHeld()).isFalse();
        assertThat(held.remainingLease()).isPositive();
        assertThat(losses).isEmpty();
    }

    @Test
    void aDetachInDoubtReleases() throws Exception {
        heartbeats.commandTimeout = Duration.ofMillis(50);
        LockHandle held = certain();
        letPass(TAKEOVER);
        CompletableFuture<LockTicket> detaching = // beats are unanswered
                CompletableFuture.supplyAsync(held::detach, EngineInterleavings::onNewThread);

        backend.nextRelease().answer().complete(new ReleaseResult.Released(0));
        assertFails(detaching, LockBackendException.class);
        assertThat(held.state()).isEqualTo(HoldState.RELEASED);
    }

    @Test
    void anAsynchronousDetachInDoubtReleases() throws Exception {
        LockHandle held = certain();
        letPass(TAKEOVER);
        CompletableFuture<LockTicket> detaching = held.detachAsync(EngineSettings.DEFAULTS.lease());
        heartbeats.next();

        letPass(heartbeats.commandTimeout);

        assertFails(detaching, LockBackendException.class);
        backend.nextRelease().answer().complete(new ReleaseResult.Released(0));
        assertThat(held.state()).isEqualTo(HoldState.RELEASED);
    }

    @Test
    void anInterruptedDetachReleases() throws Exception {
        LockHandle held = certain();
        letPass(TAKEOVER);
        CompletableFuture<Throwable> failed = new CompletableFuture<>();
        Thread detaching = new Thread(() -> {
            try {
                held.detach();
            } catch (LockException e) {
                failed.complete(e);
            }
        });
        detaching.start();
        heartbeats.next();

        detaching.interrupt();

        backend.nextRelease().answer().complete(new ReleaseResult.Released(0));
        assertThat(resultOf(failed)).isInstanceOf(LockInterruptedException.class);
        assertThat(held.state()).isEqualTo(HoldState.RELEASED);
    }

    @Test
    void aDoubtInterruptsNoWork() throws Exception {
        CountDownLatch interrupted = new CountDownLatch(1);
        LockHandle held = certain();
        held.afterLost(interrupted::countDown);

        letPass(TAKEOVER);

        assertThat(held.state()).isEqualTo(HoldState.IN_DOUBT);
        assertThat(interrupted.await(Patience.MOMENT_MILLIS, TimeUnit.MILLISECONDS))
                .isFalse();
        letPass(EngineSettings.DEFAULTS.lease());
        assertThat(interrupted.await(Patience.SECONDS, TimeUnit.SECONDS))
                .as("by the loss")
                .isTrue();
    }

    @Test
    void aHoldWithAMinimumHoldIsCertainForItsWholeLease() throws Exception {
        answered(HISTORY, NO_TAKEOVER);
        LockHandle held = granted(REQUEST.minHold(Duration.ofMillis(1)), 1);

        letPass(TAKEOVER);

        assertThat(held.state()).isEqualTo(HoldState.HELD);
    }

    @Test
    void aHoldStaysCertainWhileTheStoreAnswers() throws Exception {
        LockHandle held = certain();
        for (int i = 0; i < 3; i++) {
            letPass(TAKEOVER.dividedBy(2));
            answered(HISTORY, NO_TAKEOVER);
        }
        assertThat(held.isHeld()).isTrue();
        assertThat(backend.renewCalls).isEmpty();
    }

    @Test
    void certaintyCountsFromTheSendingOfABeatAndNotFromItsAnswer() throws Exception {
        LockHandle held = certain();
        Duration most = TAKEOVER.multipliedBy(3).dividedBy(5);
        Question sentBefore = nextOfNow();
        letPass(most);
        sentBefore.answer(HISTORY, NO_TAKEOVER);
        nextOfNow();
        assertThat(held.state()).isEqualTo(HoldState.HELD);
        letPass(most);
        assertThat(held.state()).isEqualTo(HoldState.IN_DOUBT);
    }

    @Test
    void aHoldIsCertainAgainWithTheNextAnswerOfTheSameHistory() throws Exception {
        LockHandle held = certain();
        letPass(TAKEOVER);
        await().untilAsserted(() -> assertThat(events).hasAtLeastOneElementOfType(LockEvent.InDoubt.class));

        answered(HISTORY, NO_TAKEOVER);

        assertThat(held.state()).isEqualTo(HoldState.HELD);
        assertThat(backend.renewCalls).as("nothing was taken over").isEmpty();
        assertThat(events).filteredOn(LockEvent.InDoubt.class::isInstance).hasSize(1);
        await().untilAsserted(() -> assertThat(events)
                .filteredOn(LockEvent.Confirmed.class::isInstance)
                .hasSize(1));
    }

    @Test
    void aHoldIsRenewedOnceAfterATakeover() throws Exception {
        LockHandle held = certain();
        answered(HISTORY, TAKEOVER_1);
        Sent<RenewCommand, RenewResult> confirmation = backend.nextRenewal();
        assertThat(held.state()).as("perhaps it was this lock").isEqualTo(HoldState.IN_DOUBT);
        confirmation.answer().complete(RENEWED);
        await().until(() -> held.state() == HoldState.HELD);

        answered(HISTORY, TAKEOVER_1);
        assertThat(held.state()).isEqualTo(HoldState.HELD);
        assertThat(backend.renewCalls).as("renewals").containsExactly(1);
    }

    /** The store may have executed the takeover after the renewal. */
    @Test
    void aRenewalSentBeforeATakeoverWasKnownDoesNotConfirmAHold() throws Exception {
        LockHandle held = certain();
        letPass(held.remainingLease().dividedBy(2));
        Sent<RenewCommand, RenewResult> before = backend.nextRenewal();
        answered(HISTORY, TAKEOVER_1);
        before.answer().complete(RENEWED);
        assertThat(held.state()).isEqualTo(HoldState.IN_DOUBT);
        backend.nextRenewal().answer().complete(RENEWED);
        await().until(() -> held.state() == HoldState.HELD);
    }

    @Test
    void confirmsAgainWhenAConfirmationHasNoAnswer() throws Exception {
        LockHandle held = certain();
        answered(HISTORY, TAKEOVER_1);
        backend.nextRenewal().answer().complete(new RenewResult.Unknown("no answer within 2s", cause));
        answered(HISTORY, TAKEOVER_1);
        backend.nextRenewal().answer().complete(RENEWED);
        await().untilAsserted(() -> assertThat(held.isHeld()).isTrue());
    }

    /** Such as out of memory: no answer ends the confirmation. */
    @Test
    void confirmsAgainWhenTheWatchdogFailed() throws Exception {
        LockHandle held = certain();
        CompletableFuture<Void> failed = new CompletableFuture<>();
        onClock = () -> {
            if (StackWalker.getInstance().walk(EngineDoubtTests::confirms) && failed.complete(null)) {
                throw new OutOfMemoryError("planted");
            }
        };
        answered(HISTORY, TAKEOVER_1);
        resultOf(failed);
        assertThat(held.state()).isEqualTo(HoldState.IN_DOUBT);

        answered(HISTORY, TAKEOVER_1);
        backend.nextRenewal().answer().complete(RENEWED);
        await().until(() -> held.state() == HoldState.HELD);
    }

    private static boolean confirms(Stream<StackWalker.StackFrame> frames) {
        return frames.anyMatch(frame -> frame.getMethodName().equals("confirm"));
    }

    @Test
    void confirmsAgainWhenTheBackendCouldNotSendAConfirmation() throws Exception {
        LockHandle held = certain();
        CompletableFuture<Void> failed = new CompletableFuture<>();
        backend.duringRenewal = () -> {
            if (failed.complete(null)) {
                throw new OutOfMemoryError("planted");
            }
        };
        answered(HISTORY, TAKEOVER_1);
        resultOf(failed);
        assertThat(held.state()).isEqualTo(HoldState.IN_DOUBT);

        answered(HISTORY, TAKEOVER_1);
        backend.nextRenewal().answer().complete(RENEWED);
        await().until(() -> held.state() == HoldState.HELD);
    }

    @Test
    void ignoresAnAnswerThatArrivesAfterTheAnswerToALaterBeat() throws Exception {
        LockHandle held = certain();
        Question earlier = nextOfNow();
        Question later = nextOfNow();
        later.answer(HISTORY, NO_TAKEOVER);
        nextOfNow(); // so that the answer has been processed
        earlier.answer(ANOTHER_HISTORY, NO_TAKEOVER);
        nextOfNow();
        assertThat(held.isHeld()).isTrue();
        assertThat(backend.renewCalls).as("the period goes on").isEmpty();
    }

    @Test
    void aHoldIsLostToATakeoverIfTheStoreDoesNotConfirmIt() throws Exception {
        LockHandle held = certain();
        letPass(TAKEOVER);
        answered(HISTORY, TAKEOVER_1);
        backend.nextRenewal().answer().complete(new RenewResult.NotHeld());
        awaitLoss(LossCause.TAKEN_OVER);
        assertThat(held.state()).isEqualTo(HoldState.LOST);
    }

    @Test
    void aHoldIsLostToATakeoverIfTheStoreGrantsTheLockToAnotherCaller() throws Exception {
        LockHandle held = certain();
        CompletableFuture<LockHandle> waiting = engine.acquireAsync(REQUEST);
        letPass(TAKEOVER);

        backend.signal(KEY);
        backend.nextAcquire().answer().complete(granted(2));

        assertThat(resultOf(waiting).fencingToken()).isEqualTo(2);
        awaitLoss(LossCause.TAKEN_OVER);
        assertThat(held.state()).isEqualTo(HoldState.LOST);
    }

    @Test
    void aReaderDoesNotJoinALockInDoubt() throws Exception {
        answered(HISTORY, NO_TAKEOVER);
        LockRequest toRead = REQUEST.mode(LockMode.READ);
        CompletableFuture<LockHandle> first = engine.acquireAsync(toRead);
        backend.nextAcquire().answer().complete(grantedToRead(1));
        resultOf(first);
        letPass(TAKEOVER);
        engine.acquireAsync(toRead);

        assertThat(backend.nextAcquire().command().reads()).isTrue();
    }

    private static AcquireResult grantedToRead(long fencingToken) {
        return new AcquireResult.Granted(fencingToken, 0, Optional.empty(), HISTORY, Slots.OF_READERS.from());
    }

    /** A renewal would not find it before. */
    @Test
    void aDowngradedLockIsConfirmedInItsNewSlot() throws Exception {
        LockHandle held = certain();
        CompletableFuture<Void> downgrading =
                CompletableFuture.runAsync(held::downgrade, EngineInterleavings::onNewThread);
        Sent<AcquireCommand, AcquireResult> downgrade = backend.nextAcquire();
        answered(HISTORY, TAKEOVER_1);
        assertThat(held.state()).isEqualTo(HoldState.IN_DOUBT);
        assertThat(backend.pollRenewal()).isEmpty();

        downgrade.answer().complete(grantedToRead(1));
        resultOf(downgrading);

        answered(HISTORY, TAKEOVER_1);
        Sent<RenewCommand, RenewResult> confirmation = backend.nextRenewal();
        assertThat(confirmation.command().slot()).isEqualTo(Slots.OF_READERS.from());
        confirmation.answer().complete(RENEWED);
        await().until(() -> held.state() == HoldState.HELD);
    }

    @Test
    void ensureHeldSendsABeatAtOnce() throws Exception {
        LockHandle held = certain();
        letPass(TAKEOVER);
        Question regular = nextOfNow(); // unanswered
        CompletableFuture<Void> ensuring = ensuring(held);

        heartbeats.next().answer(HISTORY, NO_TAKEOVER);

        resultOf(ensuring);
        assertThat(held.isHeld()).isTrue();
        assertThat(regular.answer).isNotDone();
        assertThat(backend.renewCalls).isEmpty();
    }

    @Test
    void ensureHeldConfirmsTheHoldAfterATakeover() throws Exception {
        LockHandle held = certain();
        answered(HISTORY, TAKEOVER_1);
        backend.nextRenewal().answer().complete(new RenewResult.Unknown("no answer within 2s", cause));
        heartbeats.asked.clear();
        CompletableFuture<Void> ensuring = ensuring(held);

        heartbeats.next().answer(HISTORY, TAKEOVER_1);
        Sent<RenewCommand, RenewResult> asked = backend.nextRenewal();
        assertThat(ensuring).isNotDone();
        asked.answer().complete(RENEWED);

        resultOf(ensuring);
        assertThat(held.isHeld()).isTrue();
    }

    @Test
    void ensureHeldWaitsForOneCommandTimeoutAtMost() throws Exception {
        heartbeats.commandTimeout = Duration.ofMillis(50);
        LockHandle held = certain();
        letPass(TAKEOVER);
        CompletableFuture<Void> ensuring = ensuring(held); // beats are unanswered

        assertFails(ensuring, LockBackendException.class)
                .hasMessageContaining("Cannot tell whether lock 'order:42'")
                .hasMessageContaining("is still held");
        assertThat(held.state()).as("in doubt is not lost").isEqualTo(HoldState.IN_DOUBT);
    }

    @Test
    void ensureHeldAsyncBlocksNoThread() throws Exception {
        LockHandle held = certain();
        assertThat(held.ensureHeldAsync()).isCompletedWithValue(null);
        letPass(TAKEOVER);
        nextOfNow(); // unanswered
        CompletableFuture<Void> ensuring = held.ensureHeldAsync();
        assertThat(ensuring).isNotDone();

        heartbeats.next().answer(HISTORY, NO_TAKEOVER);

        resultOf(ensuring);
        assertThat(held.isHeld()).isTrue();
        held.closeAsync();
        assertFails(held.ensureHeldAsync(), IllegalStateException.class);
    }

    @Test
    void aContextEnsuresItsLocksExceptThoseReleasedMeanwhile() throws Exception {
        LockHandle enclosing = certain();
        LockHandle inner = enclosing.reenter(REQUEST).orElseThrow();
        LockContext context = LockContext.NONE.with(enclosing).with(inner);
        letPass(TAKEOVER);
        nextOfNow(); // unanswered
        CompletableFuture<Void> ensuring = context.ensureAllHeldAsync();
        assertThat(ensuring).isNotDone();
        enclosing.closeAsync();

        heartbeats.next().answer(HISTORY, NO_TAKEOVER);

        resultOf(ensuring);
        letPass(TAKEOVER);
        CompletableFuture<Void> inDoubt = context.ensureAllHeldAsync();
        letPass(heartbeats.commandTimeout);
        assertFails(inDoubt, LockBackendException.class);
    }

    @Test
    void ensureHeldWaitsAtMostUntilTheLeaseIsOver() throws Exception {
        answered(HISTORY, NO_TAKEOVER);
        LockHandle held = granted(REQUEST.lease(TAKEOVER.plusMillis(200)), 1);
        letPass(TAKEOVER);
        CompletableFuture<Void> ensuring = ensuring(held);
        heartbeats.next();
        letPass(Duration.ofMinutes(1));
        assertFails(ensuring, LockLostException.class);
        awaitLoss(LossCause.LEASE_EXPIRED);
    }

    @Test
    void confirmsAHoldThatIsNotRenewedWithoutExtendingIt() throws Exception {
        answered(HISTORY, NO_TAKEOVER);
        LockHandle held = granted(REQUEST.withoutRenewal(), 1);
        Duration before = held.remainingLease();
        answered(HISTORY, TAKEOVER_1);
        Sent<RenewCommand, RenewResult> confirmation = backend.nextRenewal();
        assertThat(confirmation.command().lease()).isEqualTo(Duration.ofMillis(1));
        confirmation.answer().complete(RENEWED);
        await().untilAsserted(() -> assertThat(held.isHeld()).isTrue());
        assertThat(held.remainingLease()).isLessThan(before);
    }

    /** Such as a deposed master, where an earlier mark of the instance ages. */
    @Test
    void confirmsAGrantOfAnotherHistoryBeforeItsCallerGetsIt() throws Exception {
        answered(HISTORY, NO_TAKEOVER);
        CompletableFuture<LockHandle> acquiring = engine.acquireAsync(REQUEST);
        heartbeats.asked.clear();
        backend.nextAcquire().answer().complete(grantedBy(ANOTHER_HISTORY, 1));
        answered(HISTORY, NO_TAKEOVER);
        Sent<RenewCommand, RenewResult> confirmation = backend.nextRenewal();
        assertThat(acquiring).isNotDone();
        confirmation.answer().complete(RENEWED);
        answered(HISTORY, NO_TAKEOVER);
        assertThat(resultOf(acquiring).isHeld()).isTrue();
    }

    @Test
    void blocksNoThreadWhileAnAsynchronousGrantIsInDoubt() throws Exception {
        engine.stop();
        EngineEnvironment usual = environment();
        EngineEnvironment oneThread = new EngineEnvironment(
                clock,
                usual.newTimer(),
                usual.newLossExecutor(),
                usual.newCallbackExecutor(),
                () -> LockThreads.pool("the-only-one", 1, Duration.ofSeconds(1)),
                usual.identity(),
                usual.jitter());
        heartbeats.asked.clear();
        LockEngine other = new LockEngine(backend, EngineSettings.DEFAULTS, List.of(), oneThread);
        answered(HISTORY, NO_TAKEOVER);
        CompletableFuture<LockHandle> inDoubt = other.acquireAsync(LockRequest.of("in doubt"));
        backend.nextAcquire().answer().complete(grantedBy(ANOTHER_HISTORY, 1));
        Sent<RenewCommand, RenewResult> confirmation = backend.nextRenewal();

        CompletableFuture<LockHandle> certain = other.acquireAsync(LockRequest.of("certain"));
        backend.nextAcquire().answer().complete(granted(2));

        assertThat(resultOf(certain).isHeld()).isTrue();
        assertThat(inDoubt).isNotDone();
        confirmation.answer().complete(RENEWED);
        answered(HISTORY, NO_TAKEOVER);
        assertThat(resultOf(inDoubt).isHeld()).isTrue();
        other.beginStop();
    }

    @Test
    void failsAnAsynchronousCallerInDoubtWhenTheEngineStops() throws Exception {
        answered(HISTORY, NO_TAKEOVER);
        CompletableFuture<LockHandle> acquiring = engine.acquireAsync(REQUEST);
        backend.nextAcquire().answer().complete(grantedBy(ANOTHER_HISTORY, 1));
        backend.nextRenewal();

        engine.beginStop();

        assertFails(acquiring, LockLostException.class);
    }

    @Test
    void confirmsALateGrantBeforeItsCallerGetsIt() throws Exception {
        heartbeats.commandTimeout = Duration.ofHours(1);
        answered(HISTORY, NO_TAKEOVER);
        CompletableFuture<LockHandle> acquiring = engine.acquireAsync(REQUEST);
        Sent<AcquireCommand, AcquireResult> attempt = backend.nextAcquire();
        letPass(TAKEOVER);
        heartbeats.asked.clear();
        attempt.answer().complete(granted(1));
        Question beat = heartbeats.next();
        assertThat(acquiring).isNotDone();
        beat.answer(HISTORY, NO_TAKEOVER);
        answered(HISTORY, NO_TAKEOVER);
        assertThat(resultOf(acquiring).isHeld()).isTrue();
    }

    @Test
    void waitsForTheConfirmationOfALateGrantOnlyAsLongAsItsCaller() throws Exception {
        heartbeats.commandTimeout = Duration.ofMillis(50);
        answered(HISTORY, NO_TAKEOVER);
        CompletableFuture<LockHandle> acquiring = engine.acquireAsync(REQUEST.maxWait(TAKEOVER));
        Sent<AcquireCommand, AcquireResult> attempt = backend.nextAcquire();
        letPass(TAKEOVER);
        attempt.answer().complete(granted(1));
        nextOfNow().answer.complete(Optional.empty());
        assertFails(acquiring, LockBackendException.class).hasMessageContaining("granted it late");
        assertThat(backend.nextRelease().command().key()).isEqualTo(KEY);
    }

    /** Its attempt and the confirmation together take no longer than an attempt without an answer. */
    @Test
    void waitsForNoConfirmationACommandTimeoutAfterTheAttemptOfACallerThatDoesNotWait() throws Exception {
        heartbeats.commandTimeout = Duration.ofSeconds(20);
        answered(HISTORY, NO_TAKEOVER);
        CompletableFuture<LockHandle> acquiring = engine.acquireAsync(REQUEST.withoutWaiting());
        Sent<AcquireCommand, AcquireResult> attempt = backend.nextAcquire();
        letPass(Duration.ofSeconds(15));
        attempt.answer().complete(granted(1));
        Question beat = nextOfNow();
        assertThat(acquiring).isNotDone();
        letPass(Duration.ofSeconds(5));
        assertFails(acquiring, LockBackendException.class).hasMessageContaining("granted it late");
        assertThat(beat.answer).isNotDone();
    }

    @Test
    void reentersAHoldInDoubtOnlyOnceItIsConfirmed() throws Exception {
        answered(HISTORY, NO_TAKEOVER);
        CountDownLatch inDoubt = new CountDownLatch(1);
        CompletableFuture<LockHandle> entering = CompletableFuture.supplyAsync(
                () -> {
                    LockHandle outer = engine.acquire(REQUEST);
                    letPass(TAKEOVER);
                    assertThatThrownBy(() -> outer.reenter(REQUEST)).isInstanceOf(LockBackendException.class);
                    inDoubt.countDown();
                    return engine.acquire(REQUEST);
                },
                EngineInterleavings::onNewThread);
        backend.nextAcquire().answer().complete(granted(1));
        assertThat(inDoubt.await(Patience.SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(entering).isNotDone();
        answered(HISTORY, NO_TAKEOVER);
        assertThat(resultOf(entering).isHeld()).isTrue();
    }

    /** An attempt without a wait queries once. */
    @Test
    void reenteringAHoldInDoubtWaitsOnlyAsLongAsItsCaller() throws Exception {
        heartbeats.commandTimeout = Duration.ofMillis(50);
        answered(HISTORY, NO_TAKEOVER);
        CompletableFuture<Throwable> refusal = CompletableFuture.supplyAsync(
                () -> {
                    engine.acquire(REQUEST);
                    letPass(TAKEOVER);
                    return catchThrowable(() -> engine.tryAcquire(REQUEST));
                },
                EngineInterleavings::onNewThread);
        backend.nextAcquire().answer().complete(granted(1));
        assertThat(resultOf(refusal)).isInstanceOf(LockBackendException.class).hasMessageContaining("Try again");
    }

    @Test
    void aHoldStaysInDoubtIfARestartMayHaveForgottenATakeover() throws Exception {
        LockHandle held = undecidable();
        answered(ANOTHER_HISTORY, NO_TAKEOVER);
        letPass(held.remainingLease().dividedBy(2));
        backend.nextRenewal().answer().complete(RENEWED_THERE);
        answered(ANOTHER_HISTORY, NO_TAKEOVER);
        assertThat(held.state()).isEqualTo(HoldState.IN_DOUBT);
        assertThat(losses).isEmpty();
    }

    @Test
    void ensureHeldThrowsIfARestartMayHaveForgottenATakeover() throws Exception {
        LockHandle held = undecidable();
        assertThatThrownBy(held::ensureHeld)
                .isInstanceOf(LockLostException.class)
                .hasMessageContaining("may have forgotten that another instance had the lock meanwhile");
        assertThat(held.state()).isEqualTo(HoldState.LOST);
        awaitLoss(LossCause.HISTORY_CHANGED);
    }

    /** In doubt when a store answered that had been restarted. */
    private LockHandle undecidable() throws Exception {
        LockHandle held = certain();
        letPass(TAKEOVER);
        answered(ANOTHER_HISTORY, NO_TAKEOVER);
        return held;
    }

    @Test
    void aHoldGrantedAfterARestartIsCertain() throws Exception {
        undecidable();
        LockHandle later = grantedBy(ANOTHER_HISTORY, LockRequest.of("other"), 2);
        answered(ANOTHER_HISTORY, NO_TAKEOVER);
        assertThat(later.state()).isEqualTo(HoldState.HELD);
    }

    @Test
    void aHoldStaysCertainThroughARestartShorterThanTheTakeoverTime() throws Exception {
        LockHandle held = certain();
        letPass(TAKEOVER.dividedBy(2));
        answered(ANOTHER_HISTORY, NO_TAKEOVER);
        backend.nextRenewal().answer().complete(RENEWED_THERE);
        await().until(() -> held.state() == HoldState.HELD);
    }

    @Test
    void aHoldIsCertainAgainAfterAFailoverIfReplicasAcknowledgeTakeovers() throws Exception {
        heartbeats.condition = TakeoverCondition.ACKNOWLEDGED_BY_REPLICAS;
        answered(HISTORY, TAKEOVER_1);
        LockHandle held = granted(REQUEST, 1);
        letPass(TAKEOVER.multipliedBy(2));
        answered(ANOTHER_HISTORY, TAKEOVER_1);
        assertThat(held.state()).isEqualTo(HoldState.IN_DOUBT);
        backend.nextRenewal().answer().complete(RENEWED_THERE);
        await().until(() -> held.state() == HoldState.HELD);
    }

    /** The trace expires some time after the last lease that it concerns. */
    @Test
    void aHoldIsCertainAgainAfterAFailoverWithoutATakeover() throws Exception {
        heartbeats.condition = TakeoverCondition.ACKNOWLEDGED_BY_REPLICAS;
        answered(HISTORY, TAKEOVER_1);
        LockHandle held = granted(REQUEST, 1);
        letPass(TAKEOVER.multipliedBy(2));
        answered(ANOTHER_HISTORY, NO_TAKEOVER);
        backend.nextRenewal().answer().complete(RENEWED_THERE);
        await().until(() -> held.state() == HoldState.HELD);
    }

    /** The lock may have been granted by that takeover, at the old master, and released there. */
    @Test
    void aHoldStaysInDoubtAfterAFailoverThatReportsATakeover() throws Exception {
        heartbeats.condition = TakeoverCondition.ACKNOWLEDGED_BY_REPLICAS;
        answered(HISTORY, TAKEOVER_1);
        LockHandle held = granted(REQUEST, 1);
        answered(ANOTHER_HISTORY, TAKEOVER_2);
        letPass(held.remainingLease().dividedBy(2));
        backend.nextRenewal().answer().complete(RENEWED_THERE);
        answered(ANOTHER_HISTORY, TAKEOVER_2);
        assertThat(held.state()).isEqualTo(HoldState.IN_DOUBT);
        assertThatThrownBy(held::ensureHeld).isInstanceOf(LockLostException.class);
    }

    /** The takeover is known, and may concern this lock; the new master may not know the grant. */
    @Test
    void aHoldNotConfirmedAfterTheLastTakeoverStaysInDoubtAfterAFailover() throws Exception {
        heartbeats.condition = TakeoverCondition.ACKNOWLEDGED_BY_REPLICAS;
        LockHandle held = certain();
        answered(HISTORY, TAKEOVER_1);
        backend.nextRenewal().answer().complete(new RenewResult.Unknown("no answer within 2s", cause));
        answered(ANOTHER_HISTORY, TAKEOVER_1);
        assertThatThrownBy(held::ensureHeld).isInstanceOf(LockLostException.class);
        awaitLoss(LossCause.HISTORY_CHANGED);
    }

    /** It has lost the data that replicas had acknowledged, including the lock granted with it. */
    @Test
    void aHoldStaysInDoubtAfterAMasterRestartEvenIfReplicasAcknowledgeTakeovers() throws Exception {
        heartbeats.condition = TakeoverCondition.ACKNOWLEDGED_BY_REPLICAS;
        LockHandle held = certain();
        letPass(TAKEOVER.multipliedBy(2));
        nextOfNow().answerAfterARestart(ANOTHER_HISTORY);
        nextOfNow();
        assertThatThrownBy(held::ensureHeld).isInstanceOf(LockLostException.class);
    }

    /** FLUSHALL, or a master that restarted empty, and handed that on to the replica that was promoted then. */
    @Test
    void aHoldStaysInDoubtAfterAFailoverThatFollowsAnotherLossOfTheHistory() throws Exception {
        heartbeats.condition = TakeoverCondition.ACKNOWLEDGED_BY_REPLICAS;
        LockHandle held = certain();
        letPass(TAKEOVER.multipliedBy(2));
        nextOfNow().answerBehindAnother(ANOTHER_HISTORY);
        nextOfNow();
        assertThatThrownBy(held::ensureHeld).isInstanceOf(LockLostException.class);
    }

    /** The answer of a server that the beats do not go to, such as a master that was promoted a moment ago. */
    @Test
    void aRenewalOfAnotherHistoryDoesNotConfirmAHold() throws Exception {
        LockHandle held = certain();
        letPass(held.remainingLease().dividedBy(2));
        Duration before = held.remainingLease();
        answered(HISTORY, TAKEOVER_1);
        backend.nextRenewal().answer().complete(RENEWED_THERE);
        answered(HISTORY, TAKEOVER_1);
        Sent<RenewCommand, RenewResult> again = backend.nextRenewal();
        assertThat(held.state()).as("not confirmed").isEqualTo(HoldState.IN_DOUBT);
        assertThat(held.remainingLease()).as("not extended").isLessThanOrEqualTo(before);
        again.answer().complete(RENEWED);
        await().until(() -> held.state() == HoldState.HELD);
    }

    @Test
    void aReleaseThatFindsTheLockFreeIsUnknownIfATakeoverWasPossible() throws Exception {
        LockHandle held = certain();
        LockHandle other = granted(LockRequest.of("other"), 2);
        CompletableFuture<ReleaseOutcome> certain = other.closeAsync();
        backend.nextRelease().answer().complete(new ReleaseResult.FoundFree());
        assertThat(resultOf(certain)).isEqualTo(ReleaseOutcome.RELEASED);
        letPass(TAKEOVER);
        CompletableFuture<ReleaseOutcome> doubtful = held.closeAsync();
        backend.nextRelease().answer().complete(new ReleaseResult.FoundFree());
        assertThat(resultOf(doubtful)).isEqualTo(ReleaseOutcome.UNKNOWN);
    }

    /** While a caller waited for one answer, the other lock was lost. */
    @Test
    void ensureHeldChecksEachOfSeveralLocksAgainAfterAWait() throws Exception {
        answered(HISTORY, NO_TAKEOVER);
        CompletableFuture<LockHandle> acquiring = engine.acquireAsync(LockRequest.ofAll(List.of("a", "b")));
        backend.nextAcquire().answer().complete(granted(1));
        backend.nextAcquire().answer().complete(granted(2));
        LockHandle both = resultOf(acquiring);
        answered(HISTORY, TAKEOVER_1);
        Sent<RenewCommand, RenewResult> ofA = backend.nextRenewal();
        Sent<RenewCommand, RenewResult> ofB = backend.nextRenewal();
        ofA.answer().complete(RENEWED);
        heartbeats.asked.clear();
        CompletableFuture<Void> ensuring = ensuring(both);
        heartbeats.next().answer(HISTORY, TAKEOVER_1);
        answered(HISTORY, TAKEOVER_1);
        Sent<RenewCommand, RenewResult> askedForB = backend.nextRenewal();
        engine.admin().revoke("a", 1);
        backend.nextRelease().answer().complete(new ReleaseResult.Released(0));
        askedForB.answer().complete(RENEWED);
        ofB.answer().complete(RENEWED);
        assertFails(ensuring, LockLostException.class);
    }

    /** The store keeps the takeover time of the first owner; the second one requested none. */
    @Test
    void doesNotHandOverToAWaiterWithAnotherTakeoverTime() throws Exception {
        answered(HISTORY, NO_TAKEOVER);
        LockHandle first = waitedFor(REQUEST, 100, 0);
        CompletableFuture<LockHandle> second = engine.acquireAsync(REQUEST.named(NEVER_TAKEN_OVER));
        CompletableFuture.runAsync(first::release, EngineInterleavings::onNewThread);
        backend.nextRelease().answer().complete(new ReleaseResult.Released(0));

        Sent<AcquireCommand, AcquireResult> attempt = backend.nextAcquire();
        assertThat(attempt.command().token().takeoverMillis()).isZero();
        attempt.answer().complete(granted(2));
        assertThat(resultOf(second).isHeld()).isTrue();
    }

    @Test
    void doesNotHandOverAHoldInDoubt() throws Exception {
        answered(HISTORY, NO_TAKEOVER);
        LockHandle held = waitedFor(REQUEST, 1, 0);
        CompletableFuture<LockHandle> next = engine.acquireAsync(REQUEST);
        letPass(TAKEOVER);
        held.closeAsync();
        assertThat(backend.nextRelease().command().key()).isEqualTo(KEY);
        assertThat(next).isNotDone();
    }

    /** Both have the same grant. */
    @Test
    void aHandedOverHoldIsLostIfARenewalForTheHoldBeforeFindsTheLockTaken() throws Exception {
        answered(HISTORY, NO_TAKEOVER);
        LockHandle held = waitedFor(REQUEST, 1, 0);
        CompletableFuture<LockHandle> waiting = engine.acquireAsync(REQUEST);
        answered(HISTORY, TAKEOVER_1);
        Sent<RenewCommand, RenewResult> confirmation = backend.nextRenewal();
        CompletableFuture<Void> ensuring = ensuring(held);
        heartbeats.next().answer(HISTORY, TAKEOVER_1);
        Sent<RenewCommand, RenewResult> ofOwner = backend.nextRenewal();
        confirmation.answer().complete(RENEWED);
        resultOf(ensuring);
        held.closeAsync();
        LockHandle successor = resultOf(waiting);

        ofOwner.answer().complete(new RenewResult.NotHeld());

        assertThat(successor.state()).isEqualTo(HoldState.LOST);
    }

    @Test
    void theTokenNamesTheTakeoverTimeUnlessTheLeaseIsShorterOrTheStoreDoesNotAnswer() {
        assertThat(takeoverOf(REQUEST)).as("not answered yet").isZero();
        answered(HISTORY, NO_TAKEOVER);
        assertThat(takeoverOf(REQUEST)).isEqualTo(TAKEOVER.toMillis());
        assertThat(takeoverOf(REQUEST.lease(TAKEOVER))).isZero();
        letPass(TAKEOVER);
        assertThat(takeoverOf(REQUEST)).isZero();
    }

    private long takeoverOf(LockRequest request) {
        CompletableFuture<LockHandle> acquiring = engine.acquireAsync(request.maxWait(Duration.ZERO));
        Sent<AcquireCommand, AcquireResult> attempt = backend.nextAcquire();
        attempt.answer().complete(contended());
        assertThatThrownBy(() -> resultOf(acquiring)).isNotNull();
        return attempt.command().token().takeoverMillis();
    }

    @Test
    void eachBeatNamesTheLocksThatTheInstanceWaitsFor() {
        answered(HISTORY, NO_TAKEOVER);
        heldBy("a0000000", "a1");
        heldBy("b0000000", "b1");

        assertThat(nextOfNow().waitedFor).containsExactlyInAnyOrder("a1", "b1");
    }

    @Test
    void theFirstBeatNamesALockWhoseAttemptWasAnsweredBefore() {
        heldBy("a0000000", "a1");
        answered(HISTORY, NO_TAKEOVER);

        assertThat(nextOfNow().waitedFor).containsExactly("a1");
    }

    @Test
    void eachBeatNamesALockOfEveryOwnerHoweverManyLocksOthersHave() {
        answered(HISTORY, NO_TAKEOVER);
        for (int i = 0; i < 400; i++) {
            heldBy("a0000000", "a" + i);
        }
        heldBy("b0000000", "b1");

        for (int i = 0; i < 3; i++) {
            assertThat(nextOfNow().waitedFor).contains("b1").hasSizeLessThanOrEqualTo(100);
        }
    }

    /** As behind a proxy without pub/sub: no signals arrive. */
    @Test
    void retriesAsOftenAsWithoutBeatsWhenSignalsGetLost() throws Exception {
        heartbeats.hearsSignals = false;
        answered(HISTORY, NO_TAKEOVER);
        heldBy("a0000000", "a1");
        assertThat(nextOfNow().waitedFor).containsExactly("a1");

        // Beyond the short delays of the first attempts. With a longer delay, no attempt would be there.
        for (int i = 0; i < 12; i++) {
            letPass(RETRY_DELAY.plusMillis(20));
            settle();
            Sent<AcquireCommand, AcquireResult> attempt = backend.pollAcquire().orElseThrow();
            answered(HISTORY, NO_TAKEOVER);
            attempt.answer().complete(contendedBy("a0000000"));
        }
    }

    @Test
    void retriesAllLocksOfAnOwnerThatIsGone() {
        answered(HISTORY, NO_TAKEOVER);
        heldBy("a0000000", "a1");
        heldBy("a0000000", "a2");
        heldBy("b0000000", "b1");

        nextOfNow().answer(HISTORY, NO_TAKEOVER, "a1");

        assertThat(List.of(nextKey(), nextKey())).containsExactlyInAnyOrder("a1", "a2");
    }

    private String nextKey() {
        return backend.nextAcquire().command().key();
    }

    @Test
    void concurrentEnsureHeldCallsShareOneBeat() throws Exception {
        LockHandle held = certain();
        LockHandle other = granted(LockRequest.of("other"), 2);
        letPass(TAKEOVER);
        nextOfNow(); // the next regular beat follows after 250 ms
        CompletableFuture<Void> one = ensuring(held);
        Question shared = heartbeats.next();
        CompletableFuture<Void> another = ensuring(other);
        shared.answer(HISTORY, NO_TAKEOVER);
        resultOf(one);
        resultOf(another);
    }

    /** Makes a caller wait for a lock of another instance. */
    private void heldBy(String instance, String key) {
        CompletableFuture<LockHandle> unused =
                engine.acquireAsync(LockRequest.of(key).maxWait(Duration.ofMinutes(2)));
        Sent<AcquireCommand, AcquireResult> attempt = backend.nextAcquire();
        while (!attempt.command().key().equals(key)) {
            attempt = backend.nextAcquire(); // of a waiter that retries meanwhile
        }
        attempt.answer().complete(contendedBy(instance));
    }

    private static AcquireResult contendedBy(String instance) {
        return new AcquireResult.Contended(
                Optional.of(Duration.ofMinutes(2)), Waiting.NEW, Optional.of(new LockHolder(instance)), false);
    }

    private static AcquireResult granted(long fencingToken) {
        return grantedBy(HISTORY, fencingToken);
    }

    private static AcquireResult grantedBy(String history, long fencingToken) {
        return new AcquireResult.Granted(fencingToken, 0, Optional.empty(), history, 0);
    }

    @Override
    AcquireResult grant(long firstFencingToken, long othersWaiting) {
        return new AcquireResult.Granted(firstFencingToken, othersWaiting, Optional.empty(), HISTORY, 0);
    }

    private LockHandle grantedBy(String history, LockRequest request, long fencingToken) throws Exception {
        CompletableFuture<LockHandle> acquiring = engine.acquireAsync(request);
        backend.nextAcquire().answer().complete(grantedBy(history, fencingToken));
        return resultOf(acquiring);
    }

    private static CompletableFuture<Void> ensuring(LockHandle held) {
        return CompletableFuture.runAsync(held::ensureHeld, EngineInterleavings::onNewThread);
    }

    /** Returns once the answer to the next beat is processed: one thread sends beats and processes answers. */
    private void answered(String history, String takeover) {
        nextOfNow().answer(history, takeover);
        nextOfNow();
    }

    /** A beat that is sent after this call. */
    private Question nextOfNow() {
        heartbeats.asked.clear();
        backend.opened();
        heartbeats.next();
        backend.opened();
        return heartbeats.next();
    }
}
