package io.github.lockstarter.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.HoldState;
import io.github.lockstarter.LockBackendException;
import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockEvent.LossCause;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.ReleaseOutcome;
import io.github.lockstarter.engine.ManualBackend.Sent;
import io.github.lockstarter.engine.settings.EngineSettings;
import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.CrashDetection;
import io.github.lockstarter.spi.ReleaseResult;
import io.github.lockstarter.spi.RenewCommand;
import io.github.lockstarter.spi.RenewResult;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** When a hold is certain, in doubt, and confirmed: every heartbeat is answered when the test says so. */
class EngineDoubtTests extends EngineInterleavings {

    private static final Duration TAKE_OVER = EngineSettings.DEFAULTS.crashTakeOver();
    private static final Duration COMMAND_TIMEOUT = Duration.ofMillis(500);
    private static final RenewResult RENEWED = new RenewResult.Renewed();

    /** Asks, and waits for what the test answers. */
    private static final class Heartbeats implements CrashDetection {

        private final LinkedBlockingQueue<CompletableFuture<OptionalLong>> asked = new LinkedBlockingQueue<>();

        @Override
        public CompletionStage<OptionalLong> beat() {
            CompletableFuture<OptionalLong> answer = new CompletableFuture<>();
            asked.add(answer);
            return answer;
        }

        @Override
        public Duration commandTimeout() {
            return COMMAND_TIMEOUT;
        }

        CompletableFuture<OptionalLong> next() {
            try {
                CompletableFuture<OptionalLong> question = asked.poll(5, TimeUnit.SECONDS);
                assertThat(question).as("a heartbeat").isNotNull();
                return question;
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
    }

    private final Heartbeats heartbeats;

    EngineDoubtTests() {
        super(new ManualBackend(Optional.of(new Heartbeats())), EngineSettings.HandOver.DEFAULTS);
        this.heartbeats = (Heartbeats) backend.crashDetections().get(0);
    }

    @Test
    void isCertainForTheTakeOverTimeFromTheSendingOfTheAttempt() throws Exception {
        heard(1);
        LockHandle held = granted(REQUEST, 1);
        assertThat(held.state()).isEqualTo(HoldState.HELD);

        letPass(TAKE_OVER);

        assertThat(held.state()).isEqualTo(HoldState.IN_DOUBT);
        assertThat(held.isHeld()).isFalse();
        assertThat(held.remainingLease()).isPositive();
        assertThat(losses).isEmpty();
    }

    @Test
    void leavesALockWithAMinimumTimeToItsLease() throws Exception {
        heard(1);
        LockHandle held = granted(REQUEST.keptFor(Duration.ofMillis(1)), 1);

        letPass(TAKE_OVER);

        assertThat(held.state()).isEqualTo(HoldState.HELD);
    }

    @Test
    void staysCertainWhileTheStoreHearsIt() throws Exception {
        heard(1);
        LockHandle held = granted(REQUEST, 1);
        for (int i = 0; i < 6; i++) {
            letPass(TAKE_OVER.dividedBy(2));
            heard(1);
        }
        assertThat(held.isHeld()).isTrue();
        assertThat(backend.renewCalls).isEmpty();
    }

    @Test
    void countsFromTheSendingOfTheHeartbeatAndNotFromItsAnswer() throws Exception {
        heard(1);
        LockHandle held = granted(REQUEST, 1);
        Duration most = TAKE_OVER.multipliedBy(3).dividedBy(5);
        CompletableFuture<OptionalLong> sentBefore = nextOfNow();
        letPass(most);
        answer(sentBefore, OptionalLong.of(1));
        assertThat(held.state()).isEqualTo(HoldState.HELD);
        letPass(most);
        assertThat(held.state()).isEqualTo(HoldState.IN_DOUBT);
    }

    @Test
    void isConfirmedByARenewalAfterAnInterruption() throws Exception {
        heard(1);
        LockHandle held = granted(REQUEST, 1);
        letPass(TAKE_OVER);
        await().untilAsserted(() -> assertThat(events).hasAtLeastOneElementOfType(LockEvent.InDoubt.class));

        heard(1);
        Sent<RenewCommand, RenewResult> confirmation = backend.nextRenewal();
        assertThat(held.state()).as("not before the store has answered").isEqualTo(HoldState.IN_DOUBT);
        confirmation.answer().complete(RENEWED);

        await().untilAsserted(() -> assertThat(held.state()).isEqualTo(HoldState.HELD));
        assertThat(events).filteredOn(LockEvent.InDoubt.class::isInstance).hasSize(1);
        await().untilAsserted(() -> assertThat(events)
                .filteredOn(LockEvent.Confirmed.class::isInstance)
                .hasSize(1));
    }

    @Test
    void isConfirmedAnewOnAnotherConnection() throws Exception {
        heard(1);
        LockHandle held = granted(REQUEST, 1);
        letPass(TAKE_OVER.dividedBy(2));
        heard(2);
        Sent<RenewCommand, RenewResult> confirmation = backend.nextRenewal();
        letPass(TAKE_OVER.dividedBy(2));
        assertThat(held.state()).isEqualTo(HoldState.IN_DOUBT);
        confirmation.answer().complete(RENEWED);
        heard(2);
        await().untilAsserted(() -> assertThat(held.state()).isEqualTo(HoldState.HELD));
    }

    @Test
    void asksAgainWhenAConfirmationHasNoAnswer() throws Exception {
        heard(1);
        LockHandle held = granted(REQUEST, 1);
        heard(2);
        backend.nextRenewal().answer().complete(new RenewResult.Unknown("no answer within 2s", cause));
        heard(2);
        backend.nextRenewal().answer().complete(RENEWED);
        letPass(TAKE_OVER.dividedBy(2));
        heard(2);
        letPass(TAKE_OVER.dividedBy(2));
        await().untilAsserted(() -> assertThat(held.isHeld()).isTrue());
    }

    /** Such as for want of memory: no answer comes that could end the confirmation. */
    @Test
    void asksAgainWhenAConfirmationCouldNotBeBuilt() throws Exception {
        heard(1);
        LockHandle held = granted(REQUEST, 1);
        letPass(TAKE_OVER);
        CompletableFuture<Void> failed = new CompletableFuture<>();
        onClock = () -> {
            if (StackWalker.getInstance().walk(EngineDoubtTests::buildsRenewals) && failed.complete(null)) {
                throw new OutOfMemoryError("planted");
            }
        };
        heard(2);
        failed.get(5, TimeUnit.SECONDS);
        assertThat(held.state()).isEqualTo(HoldState.IN_DOUBT);

        heard(2);
        backend.nextRenewal().answer().complete(RENEWED);
        await().untilAsserted(() -> assertThat(held.state()).isEqualTo(HoldState.HELD));
    }

    private static boolean buildsRenewals(Stream<StackWalker.StackFrame> frames) {
        return frames.anyMatch(frame -> frame.getClassName().endsWith(".Renewals"));
    }

    @Test
    void endsTheEpochWhenTheStoreDoesNotHearIt() throws Exception {
        heard(1);
        LockHandle held = granted(REQUEST, 1);
        answer(nextOfNow(), OptionalLong.empty());
        for (int i = 0; i < 2; i++) {
            letPass(TAKE_OVER.dividedBy(2));
            heard(1);
        }
        assertThat(held.state()).isEqualTo(HoldState.IN_DOUBT);
    }

    @Test
    void ignoresAnAnswerThatComesBehindTheAnswerToALaterQuestion() throws Exception {
        heard(1);
        LockHandle held = granted(REQUEST, 1);
        CompletableFuture<OptionalLong> earlier = nextOfNow();
        CompletableFuture<OptionalLong> later = nextOfNow();
        answer(later, OptionalLong.of(1));
        answer(earlier, OptionalLong.empty());
        letPass(TAKE_OVER.dividedBy(2));
        heard(1);
        assertThat(held.isHeld()).isTrue();
        assertThat(backend.renewCalls).as("the epoch goes on").isEmpty();
    }

    @Test
    void isLostToATakeOverIfTheStoreDoesNotConfirmIt() throws Exception {
        heard(1);
        LockHandle held = granted(REQUEST, 1);
        letPass(TAKE_OVER);
        heard(2);
        backend.nextRenewal().answer().complete(new RenewResult.NotHeld());
        await().untilAsserted(() ->
                assertThat(losses).extracting(LockEvent.Lost::cause).containsExactly(LossCause.TAKEN_OVER));
        assertThat(held.state()).isEqualTo(HoldState.LOST);
    }

    @Test
    void asksTheStoreWhenItHasToBeHeld() throws Exception {
        heard(1);
        LockHandle held = granted(REQUEST, 1);
        letPass(TAKE_OVER);
        CompletableFuture<Void> ensuring =
                CompletableFuture.runAsync(held::ensureHeld, EngineInterleavings::onNewThread);

        backend.nextRenewal().answer().complete(new RenewResult.Unknown("no answer within 2s", cause));
        Sent<RenewCommand, RenewResult> second = backend.nextRenewal();
        assertThat(ensuring).isNotDone();
        second.answer().complete(RENEWED);

        ensuring.get(5, TimeUnit.SECONDS);
        assertThat(held.isHeld()).isTrue();
    }

    @Test
    void keepsWhoHasToHoldItWaitingForOneCommandTimeout() throws Exception {
        heard(1);
        LockHandle held = granted(REQUEST, 1);
        letPass(TAKE_OVER);
        CompletableFuture<Void> ensuring =
                CompletableFuture.runAsync(held::ensureHeld, EngineInterleavings::onNewThread);
        backend.nextRenewal(); // has no answer

        assertThatThrownBy(() -> ensuring.get(5, TimeUnit.SECONDS))
                .hasCauseInstanceOf(LockBackendException.class)
                .hasMessageContaining("Cannot tell whether lock 'order:42'")
                .hasMessageContaining("is still held");
        assertThat(held.state()).as("in doubt is not lost").isEqualTo(HoldState.IN_DOUBT);
    }

    @Test
    void asksTheStoreAtMostUntilTheLeaseIsOver() throws Exception {
        heard(1);
        LockHandle held = granted(REQUEST.leasedFor(TAKE_OVER.plusMillis(200)), 1);
        letPass(TAKE_OVER);
        CompletableFuture<Void> ensuring =
                CompletableFuture.runAsync(held::ensureHeld, EngineInterleavings::onNewThread);
        backend.nextRenewal();
        letPass(Duration.ofMinutes(1));
        assertThatThrownBy(() -> ensuring.get(5, TimeUnit.SECONDS)).hasCauseInstanceOf(LockLostException.class);
        await().untilAsserted(() ->
                assertThat(losses).extracting(LockEvent.Lost::cause).containsExactly(LossCause.LEASE_EXPIRED));
    }

    @Test
    void confirmsAHoldThatIsNotRenewedWithoutExtendingIt() throws Exception {
        heard(1);
        LockHandle held = granted(REQUEST.withoutRenewal(), 1);
        Duration before = held.remainingLease();
        heard(2);
        Sent<RenewCommand, RenewResult> confirmation = backend.nextRenewal();
        assertThat(confirmation.command().lease()).isEqualTo(Duration.ofMillis(1));
        confirmation.answer().complete(RENEWED);
        letPass(TAKE_OVER.dividedBy(2));
        heard(2);
        letPass(TAKE_OVER.dividedBy(2));
        await().untilAsserted(() -> assertThat(held.isHeld()).isTrue());
        assertThat(held.remainingLease()).isLessThan(before);
    }

    @Test
    void confirmsALateGrantBeforeItsCallerHasIt() throws Exception {
        heard(1);
        CompletableFuture<LockHandle> acquiring = engine.acquireAsync(REQUEST);
        Sent<AcquireCommand, AcquireResult> attempt = backend.nextAcquire();
        letPass(TAKE_OVER);
        attempt.answer().complete(new AcquireResult.Granted(1, 0));
        Sent<RenewCommand, RenewResult> confirmation = backend.nextRenewal();
        assertThat(acquiring).isNotDone();
        confirmation.answer().complete(RENEWED);
        assertThat(acquiring.get(5, TimeUnit.SECONDS).isHeld()).isTrue();
    }

    @Test
    void waitsForTheConfirmationOfALateGrantNoLongerThanItsCaller() throws Exception {
        heard(1);
        CompletableFuture<LockHandle> acquiring = engine.acquireAsync(REQUEST.waitingUpTo(TAKE_OVER));
        Sent<AcquireCommand, AcquireResult> attempt = backend.nextAcquire();
        letPass(TAKE_OVER);
        attempt.answer().complete(new AcquireResult.Granted(1, 0));
        backend.nextRenewal().answer().complete(new RenewResult.Unknown("no answer within 2s", cause));
        assertThatThrownBy(() -> acquiring.get(5, TimeUnit.SECONDS))
                .hasCauseInstanceOf(LockBackendException.class)
                .hasMessageContaining("granted it late");
        assertThat(backend.nextRelease().command().key()).isEqualTo(KEY);
    }

    @Test
    void entersAHoldInDoubtAgainOnlyOnceItIsConfirmed() throws Exception {
        heard(1);
        CompletableFuture<LockHandle> entering = CompletableFuture.supplyAsync(
                () -> {
                    LockHandle outer = engine.acquire(REQUEST);
                    letPass(TAKE_OVER);
                    assertThatThrownBy(() -> outer.reenter(REQUEST)).isInstanceOf(LockBackendException.class);
                    return engine.acquire(REQUEST);
                },
                EngineInterleavings::onNewThread);
        backend.nextAcquire().answer().complete(new AcquireResult.Granted(1, 0));
        Sent<RenewCommand, RenewResult> confirmation = backend.nextRenewal();
        assertThat(entering).isNotDone();
        confirmation.answer().complete(RENEWED);
        assertThat(entering.get(5, TimeUnit.SECONDS).isHeld()).isTrue();
    }

    /** An attempt without a wait asks once. */
    @Test
    void doesNotEnterAHoldInDoubtAgainForLongerThanItsCallerWaits() throws Exception {
        heard(1);
        CompletableFuture<Throwable> refusal = CompletableFuture.supplyAsync(
                () -> {
                    engine.acquire(REQUEST);
                    letPass(TAKE_OVER);
                    return catchThrowable(() -> engine.tryAcquire(REQUEST));
                },
                EngineInterleavings::onNewThread);
        backend.nextAcquire().answer().complete(new AcquireResult.Granted(1, 0));
        backend.nextRenewal().answer().complete(new RenewResult.Unknown("no answer", cause));
        assertThat(refusal.get(5, TimeUnit.SECONDS))
                .isInstanceOf(LockBackendException.class)
                .hasMessageContaining("Try again");
    }

    @Test
    void staysInDoubtIfTheStoreMayHaveForgottenATakeOver() throws Exception {
        LockHandle held = undecidable();
        letPass(held.remainingLease().dividedBy(2));
        backend.nextRenewal().answer().complete(RENEWED);
        heard(2);
        assertThat(held.state()).isEqualTo(HoldState.IN_DOUBT);
        assertThat(losses).isEmpty();
    }

    @Test
    void isLostToItsOwnerWhoAsksIfTheStoreMayHaveForgottenATakeOver() throws Exception {
        LockHandle held = undecidable();
        assertThatThrownBy(held::ensureHeld)
                .isInstanceOf(LockLostException.class)
                .hasMessageContaining("may have forgotten that another instance had the lock meanwhile");
        assertThat(held.state()).isEqualTo(HoldState.LOST);
        await().untilAsserted(() ->
                assertThat(losses).extracting(LockEvent.Lost::cause).containsExactly(LossCause.HISTORY_CHANGED));
    }

    /** In doubt when a store answered that had been restarted. */
    private LockHandle undecidable() throws Exception {
        heard(1);
        LockHandle held = granted(REQUEST, 1);
        letPass(TAKE_OVER);
        heard(2);
        backend.nextRenewal().answer().complete(new RenewResult.Renewed(false));
        return held;
    }

    @Test
    void staysCertainByRenewalsWhileTheStoreDoesNotHearIt() throws Exception {
        heard(1);
        LockHandle held = granted(REQUEST, 1);
        for (int i = 0; i < 4; i++) {
            letPass(TAKE_OVER.multipliedBy(3).dividedBy(5));
            answer(nextOfNow(), OptionalLong.empty());
            backend.nextRenewal().answer().complete(RENEWED);
        }
        assertThat(held.state()).isEqualTo(HoldState.HELD);
    }

    @Test
    void doesNotCountAReleaseThatFoundTheLockFreeIfItMayHaveBeenTakenOver() throws Exception {
        heard(1);
        LockHandle held = granted(REQUEST, 1);
        LockHandle other = granted(LockRequest.of("other"), 2);
        CompletableFuture<ReleaseOutcome> certain = other.releaseAsync();
        backend.nextRelease().answer().complete(new ReleaseResult.FoundFree());
        assertThat(certain.get(5, TimeUnit.SECONDS)).isEqualTo(ReleaseOutcome.RELEASED);
        letPass(TAKE_OVER);
        CompletableFuture<ReleaseOutcome> doubtful = held.releaseAsync();
        backend.nextRelease().answer().complete(new ReleaseResult.FoundFree());
        assertThat(doubtful.get(5, TimeUnit.SECONDS)).isEqualTo(ReleaseOutcome.UNKNOWN);
    }

    /** While a caller waited for one answer, the other lock was lost. */
    @Test
    void asksAgainForEachOfSeveralLocksAfterAWait() throws Exception {
        heard(1);
        CompletableFuture<LockHandle> acquiring = engine.acquireAsync(LockRequest.ofAll(List.of("a", "b")));
        backend.nextAcquire().answer().complete(new AcquireResult.Granted(1, 0));
        backend.nextAcquire().answer().complete(new AcquireResult.Granted(2, 0));
        LockHandle both = acquiring.get(5, TimeUnit.SECONDS);
        letPass(TAKE_OVER);
        heard(2);
        Sent<RenewCommand, RenewResult> ofA = backend.nextRenewal();
        Sent<RenewCommand, RenewResult> ofB = backend.nextRenewal();
        ofA.answer().complete(RENEWED);
        heard(2);
        CompletableFuture<Void> ensuring =
                CompletableFuture.runAsync(both::ensureHeld, EngineInterleavings::onNewThread);
        Sent<RenewCommand, RenewResult> askedForB = backend.nextRenewal();
        engine.admin().revoke("a", 1);
        backend.nextRelease().answer().complete(new ReleaseResult.Released(0));
        askedForB.answer().complete(RENEWED);
        ofB.answer().complete(RENEWED);
        assertThatThrownBy(() -> ensuring.get(5, TimeUnit.SECONDS)).hasCauseInstanceOf(LockLostException.class);
    }

    @Test
    void staysCertainByARenewalOfAYoungHistoryIfItWasCertainBefore() throws Exception {
        heard(1);
        LockHandle held = granted(REQUEST, 1);
        letPass(TAKE_OVER.dividedBy(2));
        heard(2);
        backend.nextRenewal().answer().complete(new RenewResult.Renewed(false));
        letPass(TAKE_OVER.multipliedBy(3).dividedBy(5));
        heard(2);
        assertThat(held.state()).isEqualTo(HoldState.HELD);
    }

    /** The store keeps the take-over time of the first owner, and the second one asked for none. */
    @Test
    void doesNotHandOverToWhoAsksForAnotherTakeOverTime() throws Exception {
        heard(1);
        LockHandle first = waitedFor(REQUEST, 100, 0);
        CompletableFuture<LockHandle> second = engine.acquireAsync(REQUEST.named(NEVER_TAKEN_OVER));
        CompletableFuture.runAsync(first::release, EngineInterleavings::onNewThread);
        backend.nextRelease().answer().complete(new ReleaseResult.Released(0));

        Sent<AcquireCommand, AcquireResult> attempt = backend.nextAcquire();
        assertThat(attempt.command().token().takeOverMillis()).isZero();
        attempt.answer().complete(new AcquireResult.Granted(2, 0));
        assertThat(second.get(5, TimeUnit.SECONDS).isHeld()).isTrue();
    }

    @Test
    void handsNothingOverInDoubt() throws Exception {
        heard(1);
        LockHandle held = waitedFor(REQUEST, 1, 0);
        CompletableFuture<LockHandle> next = engine.acquireAsync(REQUEST);
        letPass(TAKE_OVER);
        held.releaseAsync();
        assertThat(backend.nextRelease().command().key()).isEqualTo(KEY);
        assertThat(next).isNotDone();
    }

    @Test
    void promisesTheTakeOverTimeInTheTokenUnlessTheLeaseIsShorterOrTheStoreDoesNotHearIt() {
        assertThat(takeOverOf(REQUEST)).as("not asked yet").isEqualTo(TAKE_OVER.toMillis());
        heard(1);
        assertThat(takeOverOf(REQUEST)).isEqualTo(TAKE_OVER.toMillis());
        assertThat(takeOverOf(REQUEST.leasedFor(TAKE_OVER))).isZero();
        answer(nextOfNow(), OptionalLong.empty());
        assertThat(takeOverOf(REQUEST)).isZero();
    }

    private long takeOverOf(LockRequest request) {
        CompletableFuture<LockHandle> acquiring = engine.acquireAsync(request.waitingUpTo(Duration.ZERO));
        Sent<AcquireCommand, AcquireResult> attempt = backend.nextAcquire();
        attempt.answer().complete(contended());
        assertThatThrownBy(() -> acquiring.get(5, TimeUnit.SECONDS)).isNotNull();
        return attempt.command().token().takeOverMillis();
    }

    /** The store hears this instance on the connection, as the answer to the next question. */
    private void heard(long connection) {
        answer(nextOfNow(), OptionalLong.of(connection));
    }

    /** Returns when the answer was taken: the next question is asked by the thread that took the last one. */
    private void answer(CompletableFuture<OptionalLong> question, OptionalLong connection) {
        question.complete(connection);
        nextOfNow();
    }

    /** A question that is asked after this call. */
    private CompletableFuture<OptionalLong> nextOfNow() {
        heartbeats.asked.clear();
        backend.opened();
        heartbeats.next();
        backend.opened();
        return heartbeats.next();
    }
}
