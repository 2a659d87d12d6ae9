package io.github.lockstarter.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockBackendException;
import io.github.lockstarter.LockEvent.LossCause;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.MinHoldIf;
import io.github.lockstarter.ReleaseOutcome;
import io.github.lockstarter.engine.ManualBackend.Sent;
import io.github.lockstarter.engine.settings.EngineSettings;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.ReleaseCommand;
import io.github.lockstarter.spi.ReleaseResult;
import io.github.lockstarter.spi.RenewCommand;
import io.github.lockstarter.spi.RenewResult;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Commands for locks with a minimum hold, and their answers. */
class EngineMinimumHoldTests extends EngineInterleavings {

    private static final Duration MINIMUM = Duration.ofSeconds(10);
    private static final LockRequest PATIENT = REQUEST.maxWait(MINIMUM.multipliedBy(6));
    private static final LockRequest TICK = REQUEST.minHold(MINIMUM);
    private static final LockRequest SUCCESSFUL_TICK = TICK.minHoldIf(MinHoldIf.SUCCESS);

    /** A hold with a minimum hold. */
    private LockHandle held() throws Exception {
        CompletableFuture<LockHandle> acquiring = engine.acquireAsync(TICK);
        backend.nextAcquire().answer().complete(new AcquireResult.Granted(100, 0));
        return resultOf(acquiring);
    }

    @Test
    void sendsTheMinimumHoldWithTheAttemptAndTheRelease() throws Exception {
        LockHandle held = held();
        CompletableFuture<ReleaseOutcome> releasing = releasing(held);

        Sent<ReleaseCommand, ReleaseResult> release = backend.nextRelease();
        assertThat(release.command().minHold()).isEqualTo(MINIMUM);
        release.answer().complete(new ReleaseResult.Kept(MINIMUM, 0));

        assertThat(resultOf(releasing)).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(((AcquireCommand) backend.log.get(0)).minHold()).isEqualTo(MINIMUM);
    }

    @Test
    void sendsZeroWithoutAMinimumHold() throws Exception {
        releasing(granted(REQUEST, 100));

        assertThat(backend.nextRelease().command().minHold()).isZero();
        assertThat(((AcquireCommand) backend.log.get(0)).minHold()).isZero();
    }

    @Test
    void aWaiterTriesWhenTheMinimumHoldIsOver() throws Exception {
        LockHandle held = held();
        engine.acquireAsync(PATIENT);
        releasing(held);
        Sent<ReleaseCommand, ReleaseResult> release = backend.nextRelease();
        assertThat(release.command().requeue()).as("the waiter's registration").isPresent();
        assertThat(backend.isQuiet())
                .as("no attempt on the heels of the release")
                .isTrue();

        release.answer().complete(new ReleaseResult.Kept(MINIMUM, 0));

        assertTriesAfter(MINIMUM);
    }

    @Test
    void aWaiterThatIsRefusedAKeptLockTriesWhenTheMinimumHoldIsOver() throws Exception {
        engine.acquireAsync(PATIENT);
        Sent<AcquireCommand, AcquireResult> attempt = backend.nextAcquire();
        attempt.answer().complete(new AcquireResult.Contended(Optional.of(MINIMUM), 7, Optional.empty(), true));

        assertTriesAfter(MINIMUM);
    }

    /** Later than the retry delays without a minimum hold. */
    private void assertTriesAfter(Duration time) {
        letPass(time.minusSeconds(1));
        await().during(Duration.ofMillis(Patience.MOMENT_MILLIS))
                .untilAsserted(() -> assertThat(backend.pollAcquire()).isEmpty());
        letPass(Duration.ofSeconds(2));
        backend.nextAcquire();
    }

    @Test
    void aTimedOutWaitReportsTheRestOfTheMinimumHold() {
        CompletableFuture<LockHandle> waiting = engine.acquireAsync(REQUEST.maxWait(Duration.ofMillis(600)));
        Optional<Duration> rest = Optional.of(Duration.ofMillis(9_100));
        backend.nextAcquire().answer().complete(new AcquireResult.Contended(rest, 7, Optional.empty(), true));
        letPass(Duration.ofMillis(600));

        assertThat(waiting)
                .failsWithin(Patience.TIME)
                .withThrowableThat()
                .withMessageContaining("released, and kept for its minimum hold for 8.")
                .withMessageContaining("minHold");
    }

    @Test
    void aTryAsksTheStoreAtOnce() throws Exception {
        LockHandle held = held();
        engine.acquireAsync(REQUEST);
        releasing(held);
        backend.nextRelease().answer().complete(new ReleaseResult.Kept(MINIMUM, 0));

        CompletableFuture<LockHandle> trying = engine.acquireAsync(REQUEST.withoutWaiting());
        backend.nextAcquire()
                .answer()
                .complete(new AcquireResult.Contended(Optional.of(MINIMUM), 0, Optional.empty(), true));

        assertThat(trying).failsWithin(Patience.TIME).withThrowableThat().withMessageContaining("minimum hold");
    }

    @Test
    void aWaiterTriesWhenAnOperatorFreesTheLock() throws Exception {
        LockHandle held = held();
        engine.acquireAsync(REQUEST);
        releasing(held);
        Sent<ReleaseCommand, ReleaseResult> release = backend.nextRelease();
        release.answer().complete(new ReleaseResult.Kept(MINIMUM, 0));
        await().until(backend::isQuiet);

        backend.signal(KEY);

        backend.nextAcquire();
    }

    @Test
    void aWaiterTriesAtOnceWhenNothingIsLeftOfTheMinimumHold() throws Exception {
        LockHandle held = held();
        engine.acquireAsync(REQUEST);
        releasing(held);

        backend.nextRelease().answer().complete(new ReleaseResult.Released(0));

        backend.nextAcquire();
    }

    @Test
    void repeatsAnUnansweredReleaseWithItsMinimumHold() throws Exception {
        LockHandle held = held();
        releasing(held);
        Sent<ReleaseCommand, ReleaseResult> first = backend.nextRelease();
        first.answer().complete(new ReleaseResult.Unknown("reset", cause));

        assertThat(backend.nextRelease().command()).isEqualTo(first.command());
    }

    @Test
    void doesNotHandOverAHoldWithAMinimumHold() throws Exception {
        LockHandle held = waitedFor(TICK, 100, 0);
        engine.acquireAsync(REQUEST);

        releasing(held);

        assertThat(backend.nextRelease().command().minHold()).isEqualTo(MINIMUM);
    }

    @Test
    void doesNotHandOverToAWaiterWithAMinimumHold() throws Exception {
        LockHandle held = waitedFor(REQUEST, 100, 0);
        engine.acquireAsync(TICK);

        releasing(held);

        assertThat(backend.nextRelease().command().minHold()).isZero();
        assertThat(backend.nextAcquire().command().minHold()).isEqualTo(MINIMUM);
    }

    @Test
    void releasesAnUnknownAttemptWithoutAMinimumHold() {
        engine.acquireAsync(TICK);
        backend.nextAcquire().answer().complete(new AcquireResult.Unknown("reset", cause));

        assertThat(backend.nextRelease().command().minHold()).isZero();
    }

    @Test
    void releasesAGrantWithoutACallerWithoutAMinimumHold() {
        CompletableFuture<LockHandle> acquiring = engine.acquireAsync(TICK.withoutWaiting());
        Sent<AcquireCommand, AcquireResult> attempt = backend.nextAcquire();
        acquiring.cancel(false);
        attempt.answer().complete(new AcquireResult.Granted(100, 0));

        assertThat(backend.nextRelease().command().minHold()).isZero();
    }

    @Test
    void releasesAGrantWhoseCallerLeavesAtTheDeliveryWithoutAMinimumHold() {
        CompletableFuture<LockHandle> acquiring = engine.acquireAsync(TICK);
        onAcquired = () -> acquiring.cancel(false);
        backend.nextAcquire().answer().complete(new AcquireResult.Granted(100, 0));

        assertThat(backend.nextRelease().command().minHold()).isZero();
        assertThat(acquiring).isCancelled();
    }

    @Test
    void releasesKeysWithoutAMinimumHoldWhenAnotherKeyIsRefused() {
        LockRequest both = LockRequest.ofAll(List.of("a", "b")).minHold(MINIMUM).withoutWaiting();
        engine.acquireAsync(both);
        backend.nextAcquire().answer().complete(new AcquireResult.Granted(100, 0));
        backend.nextAcquire().answer().complete(contended());

        ReleaseCommand release = backend.nextRelease().command();
        assertThat(release.key()).isEqualTo("a");
        assertThat(release.minHold()).isZero();
    }

    @Test
    void aRefusalOfSeveralKeysLeavesNoMinimumHoldOnOneHeldBefore() {
        LockRequest both = LockRequest.ofAll(List.of("a", "b")).minHold(MINIMUM).withoutWaiting();
        onNewThread(() -> {
            LockHandle outer = engine.acquire(LockRequest.of("a"));
            assertThat(engine.tryAcquire(both)).isEmpty();
            outer.release();
        });
        backend.nextAcquire().answer().complete(new AcquireResult.Granted(100, 0));
        backend.nextAcquire().answer().complete(contended());

        assertThat(backend.nextRelease().command().minHold()).isZero();
    }

    @Test
    void severalKeysKeepOneHeldBeforeForTheirMinimumHold() {
        LockRequest both = LockRequest.ofAll(List.of("a", "b")).minHold(MINIMUM);
        onNewThread(() -> {
            LockHandle outer = engine.acquire(LockRequest.of("a"));
            engine.acquire(both).release();
            outer.release();
        });
        backend.nextAcquire().answer().complete(new AcquireResult.Granted(100, 0));
        backend.nextAcquire().answer().complete(new AcquireResult.Granted(101, 0));

        for (String key : List.of("b", "a")) {
            Sent<ReleaseCommand, ReleaseResult> release = backend.nextRelease();
            assertThat(release.command().key()).isEqualTo(key);
            assertThat(release.command().minHold()).isGreaterThanOrEqualTo(MINIMUM);
            release.answer().complete(new ReleaseResult.Kept(MINIMUM, 0));
        }
    }

    /** Two keys, of which the second is lost, or not extended. */
    @Test
    void aFailedEntryOrExtensionOfSeveralKeysLeavesNoMinimumHold() throws Exception {
        LockRequest both = LockRequest.ofAll(List.of("a", "b"));
        CompletableFuture<LockHandle> acquiring = engine.acquireAsync(both);
        backend.nextAcquire().answer().complete(new AcquireResult.Granted(100, 0));
        Sent<AcquireCommand, AcquireResult> second = backend.nextAcquire();
        second.answer().complete(new AcquireResult.Granted(101, 0));
        LockHandle held = resultOf(acquiring);
        CompletableFuture<Void> extending =
                CompletableFuture.runAsync(() -> held.extend(both.minHold(MINIMUM)), EngineInterleavings::onNewThread);
        backend.nextRenewal().answer().complete(new RenewResult.Renewed());
        backend.nextRenewal().answer().complete(new RenewResult.Unknown("reset", cause));
        assertFails(extending, LockBackendException.class);
        backend.revoked("b", second.command().token().fingerprint());
        assertThatThrownBy(() -> held.reenter(both.minHold(MINIMUM))).isInstanceOf(LockLostException.class);
        backend.nextRelease().answer().complete(new ReleaseResult.Released(0));
        releasing(held);

        ReleaseCommand release = backend.nextRelease().command();
        assertThat(release.key()).isEqualTo("a");
        assertThat(release.minHold()).isZero();
    }

    @Test
    void aRefusedExtensionOfSeveralKeysExtendsNone() throws Exception {
        LockRequest both = LockRequest.ofAll(List.of("a", "b"));
        CompletableFuture<LockHandle> acquiring = engine.acquireAsync(both);
        backend.nextAcquire().answer().complete(new AcquireResult.Granted(100, 0));
        Sent<AcquireCommand, AcquireResult> second = backend.nextAcquire();
        second.answer().complete(new AcquireResult.Granted(101, 0));
        LockHandle held = resultOf(acquiring);
        backend.revoked("b", second.command().token().fingerprint());
        await().until(() -> !held.isHeld());

        CompletableFuture<Void> extending =
                CompletableFuture.runAsync(() -> held.extend(both), EngineInterleavings::onNewThread);

        assertFails(extending, LockLostException.class);
        assertThat(backend.log).noneMatch(RenewCommand.class::isInstance);
    }

    @Test
    void keepsALockThatNeedsASuccessOnlyAfterIt() throws Exception {
        LockHandle failed = granted(SUCCESSFUL_TICK, 100);
        releasing(failed);
        Sent<ReleaseCommand, ReleaseResult> unkept = backend.nextRelease();
        assertThat(unkept.command().minHold()).isZero();
        unkept.answer().complete(new ReleaseResult.Released(0));

        LockHandle succeeded = granted(SUCCESSFUL_TICK, 101);
        succeeded.recordSuccess();
        releasing(succeeded);
        assertThat(backend.nextRelease().command().minHold()).isEqualTo(MINIMUM);
        assertThat(((AcquireCommand) backend.log.get(0)).minHold())
                .as("the store keeps the time of the grant")
                .isEqualTo(MINIMUM);
    }

    @Test
    void aSuccessAfterTheLeaseKeepsNothing() throws Exception {
        LockHandle held = granted(SUCCESSFUL_TICK.withoutRenewal(), 100);
        letPass(EngineSettings.DEFAULTS.lease());
        held.recordSuccess();
        assertThat(held.isHeld()).isFalse();
        releasing(held);

        assertThat(backend.nextRelease().command().minHold()).isZero();
    }

    @Test
    void aSuccessWithoutThatConditionChangesNothing() throws Exception {
        LockHandle held = granted(REQUEST, 100);
        held.recordSuccess();
        releasing(held);

        assertThat(backend.nextRelease().command().minHold()).isZero();
    }

    /** The success of inner work is not that of outer work, whose minimum hold it is. */
    @Test
    void aSuccessCountsForTheMinimumHoldOfItsOwnEntry() throws Exception {
        LockHandle outer = granted(SUCCESSFUL_TICK, 100);
        LockHandle inner = outer.reenter(REQUEST.minHold(Duration.ZERO)).orElseThrow();
        inner.recordSuccess();
        inner.release();
        releasing(outer);
        Sent<ReleaseCommand, ReleaseResult> unkept = backend.nextRelease();
        assertThat(unkept.command().minHold()).isZero();
        unkept.answer().complete(new ReleaseResult.Released(0));

        LockHandle failed = granted(REQUEST, 101);
        LockHandle succeeded = failed.reenter(SUCCESSFUL_TICK).orElseThrow();
        succeeded.recordSuccess();
        succeeded.release();
        releasing(failed);
        assertThat(backend.nextRelease().command().minHold()).isGreaterThanOrEqualTo(MINIMUM);
    }

    @Test
    void anExtendedMinimumHoldNeedsTheSuccessToo() throws Exception {
        LockHandle held = granted(SUCCESSFUL_TICK, 100);
        letPass(Duration.ofSeconds(3));
        CompletableFuture<Void> extending = CompletableFuture.runAsync(
                () -> held.extend(REQUEST.minHold(MINIMUM)), EngineInterleavings::onNewThread);
        backend.nextRenewal().answer().complete(new RenewResult.Renewed());
        resultOf(extending);
        LockHandle nested = held.reenter(REQUEST.minHold(Duration.ZERO)).orElseThrow();

        held.recordSuccess();
        held.release();
        releasing(nested);

        assertThat(backend.nextRelease().command().minHold()).isGreaterThanOrEqualTo(MINIMUM.plusSeconds(3));
    }

    /** The minimum hold of the acquisition stays. */
    @Test
    void anExtensionCanEndTheConditionOfTheMinimumHold() throws Exception {
        LockHandle held = granted(SUCCESSFUL_TICK, 100);
        CompletableFuture<Void> extending = CompletableFuture.runAsync(
                () -> held.extend(REQUEST.minHoldIf(MinHoldIf.ALWAYS)), EngineInterleavings::onNewThread);
        backend.nextRenewal().answer().complete(new RenewResult.Renewed());
        resultOf(extending);

        releasing(held);

        assertThat(backend.nextRelease().command().minHold()).isEqualTo(MINIMUM);
    }

    @Test
    void severalKeysAreKeptAfterACommonSuccess() throws Exception {
        LockRequest both = LockRequest.ofAll(List.of("a", "b")).minHold(MINIMUM).minHoldIf(MinHoldIf.SUCCESS);
        for (boolean succeeds : List.of(false, true)) {
            CompletableFuture<LockHandle> acquiring = engine.acquireAsync(both);
            backend.nextAcquire().answer().complete(new AcquireResult.Granted(100, 0));
            backend.nextAcquire().answer().complete(new AcquireResult.Granted(101, 0));
            LockHandle held = resultOf(acquiring);
            if (succeeds) {
                held.recordSuccess();
            }
            releasing(held);
            for (String key : List.of("b", "a")) {
                Sent<ReleaseCommand, ReleaseResult> release = backend.nextRelease();
                assertThat(release.command().key()).isEqualTo(key);
                assertThat(release.command().minHold()).isEqualTo(succeeds ? MINIMUM : Duration.ZERO);
                release.answer().complete(new ReleaseResult.Released(0));
            }
        }
    }

    @Test
    void severalKeysAreNotKeptIfOneIsLost() throws Exception {
        LockRequest both = LockRequest.ofAll(List.of("a", "b")).minHold(MINIMUM).minHoldIf(MinHoldIf.SUCCESS);
        CompletableFuture<LockHandle> acquiring = engine.acquireAsync(both);
        backend.nextAcquire().answer().complete(new AcquireResult.Granted(100, 0));
        Sent<AcquireCommand, AcquireResult> second = backend.nextAcquire();
        second.answer().complete(new AcquireResult.Granted(101, 0));
        LockHandle held = resultOf(acquiring);
        backend.revoked("b", second.command().token().fingerprint());
        await().until(() -> !held.isHeld());
        backend.nextRelease().answer().complete(new ReleaseResult.Released(0));

        held.recordSuccess();
        releasing(held);

        ReleaseCommand release = backend.nextRelease().command();
        assertThat(release.key()).isEqualTo("a");
        assertThat(release.minHold()).isZero();
    }

    /** A crash is no success. */
    @Test
    void aLockThatNeedsASuccessIsTakenOverAfterACrash() {
        EngineSettings settings = EngineSettings.DEFAULTS;
        assertThat(ResolvedRequest.of(TICK, settings).crashTakeover()).isZero();
        assertThat(ResolvedRequest.of(SUCCESSFUL_TICK, settings).crashTakeover())
                .isEqualTo(ResolvedRequest.of(REQUEST, settings).crashTakeover())
                .isPositive();
    }

    @Test
    void keepsNoLockThatNeedsASuccessAtShutdown() throws Exception {
        granted(SUCCESSFUL_TICK, 100);
        CompletableFuture<Void> stopping = CompletableFuture.runAsync(engine::stop, EngineInterleavings::onNewThread);

        assertThat(backend.nextRelease().command().minHold()).isZero();
        awaitStop(stopping);
    }

    @Test
    void handsALockOverAfterAFailure() throws Exception {
        LockHandle held = waitedFor(SUCCESSFUL_TICK, 100, 0);
        CompletableFuture<LockHandle> waiting = engine.acquireAsync(REQUEST);

        assertThat(resultOf(releasing(held))).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(resultOf(waiting).fencingToken()).isGreaterThan(held.fencingToken());
    }

    @Test
    void refusesTheConditionWithoutAMinimumHold() {
        assertThatThrownBy(() -> engine.acquireAsync(REQUEST.minHoldIf(MinHoldIf.SUCCESS)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("minHoldIf of lock '" + KEY + "' is SUCCESS, which has no effect without a minimum hold."
                        + " Set minHold, or leave minHoldIf out");
    }

    @Test
    void releasesARevokedLockWithoutAMinimumHold() throws Exception {
        LockHandle held = held();
        backend.revoked(KEY, ((AcquireCommand) backend.log.get(0)).token().fingerprint());
        await().untilAsserted(() -> assertThat(losses).hasSize(1));
        assertThat(losses.get(0).cause()).isEqualTo(LossCause.REVOKED);

        assertThat(backend.nextRelease().command().minHold()).isZero();
        assertThat(held.isHeld()).isFalse();
    }

    @Test
    void keepsTheLockForItsMinimumHoldAtShutdown() throws Exception {
        held();
        CompletableFuture<Void> stopping = CompletableFuture.runAsync(engine::stop, EngineInterleavings::onNewThread);

        assertThat(backend.nextRelease().command().minHold()).isEqualTo(MINIMUM);
        awaitStop(stopping);
    }
}
