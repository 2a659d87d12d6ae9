package io.github.lockstarter.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockEvent.LossCause;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.ReleaseOutcome;
import io.github.lockstarter.StoreEvent;
import io.github.lockstarter.engine.Acquisitions.IfBusy;
import io.github.lockstarter.engine.ManualBackend.Sent;
import io.github.lockstarter.engine.settings.EngineClock;
import io.github.lockstarter.engine.settings.EngineSettings;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireCommand.Waiting;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.Outages;
import io.github.lockstarter.spi.ReleaseCommand;
import io.github.lockstarter.spi.ReleaseResult;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** A thread that fails in the middle of a change of a key. */
@ExtendWith(OutputCaptureExtension.class)
class FailedKeyTests {

    private static final String KEY = "order:42";
    private static final LockRequest REQUEST = LockRequest.of(KEY).maxWait(Duration.ofHours(1));
    private static final EngineSettings SETTINGS = EngineSettings.DEFAULTS;
    private static final String REPORT = "inside lock '" + KEY + "'";
    private static final String TIMER_FAILED = "A timer of the lock watchdog failed";
    private static final Duration CENTURIES = Duration.ofSeconds(9_999_999_999L);

    private final ManualBackend backend = new ManualBackend();
    private final Running running = new Running(
            backend,
            new Outages(backend, StoreEvent.Scope.ALL, System::nanoTime, event -> {}),
            SETTINGS,
            List.of(),
            EngineEnvironment.of(EngineClock.SYSTEM),
            new EngineTokens(EngineClock.SYSTEM, SETTINGS, new Random(1)),
            null); // not used here

    @AfterEach
    void close() {
        running.beginClose();
    }

    @Test
    void failsItsCallersAndIsServedByAnotherObject() {
        Waiter waiting = joined(REQUEST);
        Waiter trying = joined(REQUEST.withoutWaiting());
        Sent<AcquireCommand, AcquireResult> attempt = backend.nextAcquire();
        KeyLock failed = waiting.lock;
        fail(failed);
        Waiter next = joined(REQUEST);

        assertThat(List.of(waiting, trying))
                .allSatisfy(caller -> assertThat(caller.outcome.join()).isInstanceOf(WaitOutcome.Failed.class));
        Sent<AcquireCommand, AcquireResult> another = backend.nextAcquire();
        another.answer().complete(contended(Duration.ofSeconds(20)));
        assertThat(next.lock).isNotSameAs(failed);
        attempt.answer().complete(new AcquireResult.Granted(1, 0));
        assertThat(backend.nextRelease().command().token())
                .as("given back")
                .isEqualTo(attempt.command().token());
        assertThat(next.outcome).isNotDone();
    }

    @Test
    void releasesAHoldOfAFailedKeyAndHandsItToNobody() {
        Handle held = held();
        Waiter behind = joined(REQUEST);
        fail(held.hold.lock);
        Waiter next = joined(REQUEST);
        Sent<AcquireCommand, AcquireResult> attempt = backend.nextAcquire();
        assertThat(attempt.command().token()).isNotEqualTo(held.hold.grant.token);

        assertThat(behind.outcome.join()).isInstanceOf(WaitOutcome.Failed.class);
        assertThat(held.isHeld()).isTrue();
        CompletableFuture<ReleaseOutcome> releasing = held.beginRelease();
        Sent<ReleaseCommand, ReleaseResult> release = backend.nextRelease();
        assertThat(release.command().token()).isEqualTo(held.hold.grant.token);
        assertThat(next.outcome).isNotDone();
        release.answer().complete(new ReleaseResult.Released(0));
        assertThat(releasing).isCompletedWithValue(ReleaseOutcome.RELEASED);
        assertThat(running.size()).isZero();
    }

    @Test
    void doesNotRenewAHoldOfAFailedKey() {
        Handle held = held();
        fail(held.hold.lock);
        assertThat(joined(REQUEST.withoutWaiting()).lock).isNotSameAs(held.hold.lock);
        look(held.hold.lock);

        assertThat(held.hold.isRenewed()).isFalse();
        assertThat(held.isHeld()).isTrue();
    }

    @Test
    void aThreadEntersItsHoldOfAFailedKey() {
        HoldOwner thread = HoldOwner.currentThread();
        Handle outer = held(REQUEST, thread, 0);
        failAndLook(outer.hold.lock);

        assertThat(running.isEnteredBy(thread, KEY)).isTrue();
        assertThat(running.find(KEY)).isPresent();
        LockHandle nested = new Acquisitions(running)
                .acquireAll(List.of(KEY), outer.hold.request, thread, IfBusy.THROW)
                .orElseThrow();
        assertThat(((Handle) nested).hold).isSameAs(outer.hold);
        assertThat(nested.release()).isEqualTo(ReleaseOutcome.STILL_HELD);
        outer.beginRelease();
        backend.nextRelease().answer().complete(new ReleaseResult.Released(0));
        assertThat(running.isEnteredBy(thread, KEY)).isFalse();
    }

    @Test
    void anOperatorOfAnotherInstanceRevokesAHoldOfAFailedKey() {
        Handle held = held();
        failAndLook(held.hold.lock);
        running.revoked(KEY, held.hold.grant.token.fingerprint());

        assertThat(held.hold.lossCause).isEqualTo(LossCause.REVOKED);
        assertThat(held.isHeld()).isFalse();
    }

    @Test
    void anOperatorOfThisInstanceRevokesAHoldOfAFailedKey() {
        Handle held = held();
        failAndLook(held.hold.lock);
        Optional<CompletableFuture<ReleaseResult>> revoked = running.revoke(KEY, held.fencingToken());

        assertThat(held.hold.lossCause).isEqualTo(LossCause.REVOKED);
        ReleaseResult released = new ReleaseResult.Released(0);
        backend.nextRelease().answer().complete(released);
        assertThat(revoked.orElseThrow()).isCompletedWithValue(released);
    }

    @Test
    void aGrantOfItsSlotEndsAHoldOfAFailedKey() {
        Handle held = held();
        failAndLook(held.hold.lock);
        joined(REQUEST);
        backend.nextAcquire().answer().complete(new AcquireResult.Granted(2, 0));

        assertThat(held.hold.lossCause).isEqualTo(LossCause.OWNER_CHANGED);
    }

    @Test
    void aStopReleasesAHoldOfAFailedKey() {
        Handle held = held();
        failAndLook(held.hold.lock);
        running.beginClose();

        assertThat(held.hold.lossCause).isEqualTo(LossCause.SHUTDOWN);
        assertThat(backend.nextRelease().command().token()).isEqualTo(held.hold.grant.token);
    }

    @Test
    void leavingLocksToTheirLeasesWaitsForAHoldOfAFailedKey() {
        Handle held = held();
        failAndLook(held.hold.lock);
        assertThat(running.snapshot()).hasSize(1);
        CompletableFuture<Void> leaving =
                CompletableFuture.runAsync(running::leaveToLeases, EngineInterleavings::onNewThread);
        held.beginRelease();

        assertThat(leaving).succeedsWithin(Patience.TIME);
    }

    @Test
    void leavesTheRegistrationToItsSuccessor() {
        KeyLock failed = joined(REQUEST).lock;
        Sent<AcquireCommand, AcquireResult> attempt = backend.nextAcquire();
        fail(failed);
        joined(REQUEST);
        backend.nextAcquire().answer().complete(registered());
        attempt.answer().complete(registered());

        assertThat(backend.nextAcquire().command().waiting()).as("looks again").isPresent();
        assertThat(backend.isQuiet()).as("withdraws nothing").isTrue();
    }

    @Test
    void leavesASignalToItsSuccessor() {
        KeyLock failed = joined(REQUEST).lock;
        backend.nextAcquire();
        running.signal(KEY, 0);
        fail(failed);
        look(failed);

        assertThat(backend.nextWithdrawal().command().key()).isEqualTo(KEY);
    }

    /** The stack may be full, so a hold is marked without a change of its key. */
    @Test
    void aReleaseThatCannotBeginEndsTheRenewalOfItsHoldOnly() {
        LockRequest permit = REQUEST.permits(2);
        Handle held = held(permit, HoldOwner.HANDLE, 0);
        Handle other = held(permit, HoldOwner.HANDLE, 1);
        Waiter behind = joined(permit);
        failToBeginTheReleaseOf(held);
        look(behind.lock);

        assertThat(held.hold.isRenewed()).isFalse();
        assertThat(other.hold.isRenewed()).isTrue();
        assertThat(behind.outcome).isNotDone();
        held.beginRelease();
        assertThat(backend.nextRelease().command().token()).isEqualTo(held.hold.grant.token);
    }

    /** Two threads at the end of their stacks, and one that fails in the middle of a change. */
    @Test
    void handlesWhoseReleasesCannotBeginAreNotLostIfAnotherThreadFailsAtOnce() {
        Handle outer = held();
        Handle nested = outer.enterAgain(outer.hold.request).orElseThrow();
        failToBeginTheReleaseOf(outer);
        failToBeginTheReleaseOf(nested);
        assertThat(outer.hold.isRenewed()).as("ends with its lease").isFalse();
        failAndLook(outer.hold.lock);

        assertThat(outer.isHeld()).isTrue();
        assertThat(nested.beginRelease()).isCompletedWithValue(ReleaseOutcome.STILL_HELD);
        CompletableFuture<ReleaseOutcome> last = outer.beginRelease();
        backend.nextRelease().answer().complete(new ReleaseResult.Released(0));
        assertThat(last).isCompletedWithValue(ReleaseOutcome.RELEASED);
    }

    private static void failToBeginTheReleaseOf(Handle handle) {
        ResolvedRequest terms = handle.hold.request;
        handle.hold.request = null; // so that the release fails in its first step
        assertThatThrownBy(handle::beginRelease).isInstanceOf(NullPointerException.class);
        handle.hold.request = terms;
    }

    /** A release waits for the answers to renewals, of which a failed object does not know how many it has missed. */
    @Test
    void aRenewalWhoseAnswerIsNotProcessedKeepsBackNoReleaseOfALostHold() {
        for (boolean failedBefore : List.of(false, true)) {
            Handle held = held();
            running.renewForOwner(held.hold, Optional.empty());
            if (failedBefore) {
                loseTheAnswer(held);
            }
            CompletableFuture<ReleaseResult> revoked =
                    running.revoke(KEY, held.fencingToken()).orElseThrow();
            if (!failedBefore) {
                assertThat(backend.log).noneMatch(ReleaseCommand.class::isInstance);
                loseTheAnswer(held);
            }

            ReleaseResult released = new ReleaseResult.Released(0);
            backend.nextRelease().answer().complete(released);
            assertThat(revoked).isCompletedWithValue(released);
            assertThat(running.known(KEY)).isNull();
        }
    }

    private void loseTheAnswer(Handle held) {
        new RenewAttempt(held.hold, RenewAttempt.Kind.REGULAR, running.now(), Duration.ZERO, null)
                .failed(new OutOfMemoryError("planted"));
        look(held.hold.lock);
    }

    @Test
    void disturbsNoOtherKey() {
        LockRequest other = LockRequest.of("another").maxWait(Duration.ofHours(1));
        Waiter sleeping = joined(other);
        Sent<AcquireCommand, AcquireResult> attempt = backend.nextAcquire();
        fail(joined(REQUEST).lock);
        attempt.answer().complete(new AcquireResult.Granted(1, 0));

        assertThat(sleeping.outcome.join()).isInstanceOf(WaitOutcome.Granted.class);
    }

    @Test
    void aFailureAtOneKeyEndsNoStopOfTheOthers() {
        Handle healthy = held();
        for (int i = 0; i < 20; i++) {
            Handle broken = held(LockRequest.of("broken:" + i), HoldOwner.HANDLE, 0);
            broken.hold.request = null;
        }
        running.beginClose();

        assertThat(healthy.hold.lossCause).isEqualTo(LossCause.SHUTDOWN);
        assertThat(backend.nextRelease().command().token()).isEqualTo(healthy.hold.grant.token);
    }

    @Test
    void replacesAKeyWhoseEventsFailAndReportsItOnce(CapturedOutput output) {
        Handle held = held();
        Waiter behind = joined(REQUEST);
        Deadline deadline = held.hold.deadline;
        held.hold.deadline = null; // so that each look fails
        running.timer.schedule(held.hold.lock, running.beganAt);

        await().until(() -> output.toString().contains(REPORT));
        await().during(Duration.ofMillis(Patience.MOMENT_MILLIS))
                .until(() -> output.toString().split(REPORT, -1).length == 2);
        assertThat(output).doesNotContain(TIMER_FAILED);
        assertThat(behind.outcome.join()).isInstanceOf(WaitOutcome.Failed.class);
        assertThat(held.hold.isRenewed()).isFalse();
        assertThat(joined(REQUEST).lock).as("served by another object").isNotSameAs(held.hold.lock);
        assertThat(backend.nextAcquire().command().token()).isNotEqualTo(held.hold.grant.token);
        held.hold.deadline = deadline;
        CompletableFuture<ReleaseOutcome> releasing = held.beginRelease();
        backend.nextRelease().answer().complete(new ReleaseResult.Released(0));
        assertThat(releasing).isCompletedWithValue(ReleaseOutcome.RELEASED);
        assertThat(output.toString().split(REPORT, -1)).hasSize(2);
    }

    /** As many events may fail as succeed. */
    @Test
    void reportsTheFirstFailureOfAFailedKeyOnly(CapturedOutput output) {
        KeyLock lock = held().hold.lock;
        for (int failures = 1; failures <= 3; failures++) {
            failAndLook(lock);
        }

        assertThat(output.toString().split(REPORT, -1)).hasSize(2);
    }

    /** The loss is for the thread alone, whatever the lease. */
    @Test
    void forgetsALossWhenItsThreadHasEnded() throws Exception {
        Thread ended = new Thread(() -> {});
        ended.start();
        ended.join();
        for (Thread thread : List.of(ended, Thread.currentThread())) {
            Handle held = held(REQUEST, new HoldOwner(thread, null, "a thread"), 0);
            running.revoked(KEY, held.hold.grant.token.fingerprint());
            backend.nextRelease().answer().complete(new ReleaseResult.Released(0));
            look(held.hold.lock);

            assertThat(running.known(KEY) == null).isEqualTo(thread == ended);
        }
    }

    @Test
    void aStepThatFailsStopsNoOther() {
        KeyLock lock = running.keyLock(KEY);
        CompletableFuture<Void> other = new CompletableFuture<>();
        running.run(lock, (todo, now) -> {
            todo.add(() -> {
                throw new OutOfMemoryError("planted");
            });
            todo.add(() -> other.complete(null));
        });

        assertThat(other).isCompleted();
        assertThat(joined(REQUEST).lock).isNotSameAs(lock);
    }

    @Test
    void sleepsBesideALockOfManyCenturies() {
        Waiter first = joined(REQUEST);
        for (boolean kept : List.of(true, false)) {
            AcquireResult.Contended far =
                    new AcquireResult.Contended(Optional.of(CENTURIES), Waiting.NEW, Optional.empty(), kept);
            Obstacle seen = Obstacle.of(far, 1, 0);

            assertThat(running.backoff(first, 1, 0, seen)).isPositive();
            assertThat(seen.at(1).remaining()).isPresent();
        }
    }

    private void look(KeyLock lock) {
        running.run(lock, lock::look);
    }

    private static void fail(KeyLock lock) {
        assertThatThrownBy(() -> lock.running.run(lock, (todo, now) -> {
                    throw new OutOfMemoryError("planted");
                }))
                .isInstanceOf(OutOfMemoryError.class);
    }

    /** The next event of the key applies the failure. */
    private void failAndLook(KeyLock lock) {
        fail(lock);
        look(lock);
        assertThat(running.known(KEY)).isNull();
    }

    private Waiter joined(LockRequest request) {
        return joined(request, HoldOwner.HANDLE);
    }

    private Waiter joined(LockRequest request, HoldOwner owner) {
        Waiter caller = new Waiter(
                running.keyLock(request.keys().get(0)),
                ResolvedRequest.of(request, SETTINGS),
                owner,
                running.clock.nanos());
        running.join(caller);
        return caller;
    }

    private Handle held() {
        return held(REQUEST, HoldOwner.HANDLE, 0);
    }

    private Handle held(LockRequest request, HoldOwner owner, int slot) {
        Waiter caller = joined(request, owner);
        backend.nextAcquire().answer().complete(new AcquireResult.Granted(1 + slot, 0, Optional.empty(), "", slot));
        Hold hold = ((WaitOutcome.Granted) caller.outcome.join()).hold();
        Handle handle = new Handle(hold, owner.thread());
        hold.lock.announce(caller, handle);
        assertThat(hold.lock.take(caller, handle)).isTrue();
        return handle;
    }

    private static AcquireResult registered() {
        return new AcquireResult.Contended(Optional.of(Duration.ofSeconds(20)), 7);
    }

    private static AcquireResult contended(Duration rest) {
        return new AcquireResult.Contended(Optional.of(rest), Waiting.NEW);
    }
}
