package io.github.lockstarter.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockAdmin.Revocation;
import io.github.lockstarter.LockBackendException;
import io.github.lockstarter.LockEvent.LossCause;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.ReleaseOutcome;
import io.github.lockstarter.engine.ManualBackend.Sent;
import io.github.lockstarter.engine.settings.EngineSettings;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.ReleaseCommand;
import io.github.lockstarter.spi.ReleaseResult;
import io.github.lockstarter.spi.RenewCommand;
import io.github.lockstarter.spi.RenewResult;
import io.github.lockstarter.spi.Slots;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A lock is revoked while it is granted, handed over, released or renewed: no caller keeps it. */
class EngineRevocationInterleavingTests extends EngineInterleavings {

    EngineRevocationInterleavingTests() {
        super(new EngineSettings.Handover(16, Duration.ofSeconds(20)));
    }

    private LockToken grantedToken;

    /** A hold with fencing tokens for handovers, whose lock token is known to the test. */
    private LockHandle waitedFor(long firstFencingToken) throws Exception {
        CompletableFuture<LockHandle> acquiring = engine.acquireAsync(REQUEST);
        backend.nextAcquire().answer().complete(contended());
        backend.signal(KEY);
        Sent<AcquireCommand, AcquireResult> attempt = backend.nextAcquire();
        grantedToken = attempt.command().token();
        attempt.answer().complete(new AcquireResult.Granted(firstFencingToken, 0));
        return resultOf(acquiring);
    }

    private void revoked() {
        backend.revoked(KEY, grantedToken.fingerprint());
    }

    @Test
    void aRevocationMessageEndsOnlyTheHoldWithItsLockToken() throws Exception {
        LockHandle held = waitedFor(100);

        backend.revoked(KEY, new LockToken("0", 1).fingerprint());
        backend.revoked("order:43", grantedToken.fingerprint());
        assertThat(held.isHeld()).isTrue();

        revoked();
        assertThat(held.isHeld()).isFalse();
        awaitLoss(LossCause.REVOKED);
    }

    @Test
    void aRevokedHoldIsReleasedInTheStore() throws Exception {
        waitedFor(100);
        revoked();
        assertThat(backend.nextRelease().command().token()).isEqualTo(grantedToken);
    }

    @Test
    void aRevokedHoldIsReleasedOnceEvenIfItsHolderReleasesIt() throws Exception {
        LockHandle held = waitedFor(100);
        revoked();
        backend.nextRelease().answer().complete(new ReleaseResult.Released(0));
        assertThat(held.release()).isEqualTo(ReleaseOutcome.LOST);
        assertThat(backend.isQuiet()).isTrue();
    }

    @Test
    void theReleaseOfARevokedHoldFollowsTheAnswerToARenewal() throws Exception {
        LockHandle held = waitedFor(100);
        backend.log.clear();
        backend.duringRenewal = () -> {
            backend.duringRenewal = () -> {};
            revoked();
        };

        CompletableFuture.runAsync(
                () -> held.extend(REQUEST.lease(Duration.ofSeconds(30))), EngineInterleavings::onNewThread);
        Sent<RenewCommand, RenewResult> renewal = backend.nextRenewal();
        await().until(() -> !held.isHeld());
        assertThat(backend.isQuiet()).as("nothing follows before the answer").isTrue();
        renewal.answer().complete(new RenewResult.Unknown("no answer within 2s", cause));

        backend.nextRelease();
        assertThat(backend.log).hasSize(2);
        assertThat(backend.log.get(0)).isInstanceOf(RenewCommand.class);
    }

    /** The message arrives before, during and after the handover. */
    @Test
    void aLockRevokedDuringItsHandOverIsHeldByNobody() throws Exception {
        for (int i = 0; i < 200; i++) {
            LockHandle first = waitedFor(100);
            CompletableFuture<LockHandle> successor = engine.acquireAsync(REQUEST);
            CountDownLatch start = new CountDownLatch(1);
            CompletableFuture<ReleaseOutcome> leaving = CompletableFuture.supplyAsync(
                    () -> {
                        awaitQuietly(start);
                        return first.release();
                    },
                    EngineInterleavings::onNewThread);
            CompletableFuture<Void> message = CompletableFuture.runAsync(
                    () -> {
                        awaitQuietly(start);
                        revoked();
                    },
                    EngineInterleavings::onNewThread);
            start.countDown();
            resultOf(message);
            assertThat(resultOf(leaving)).isIn(ReleaseOutcome.RELEASED, ReleaseOutcome.LOST);
            assertThat(engine.heldLocks().size()).isZero();
            assertThat(backend.log)
                    .as("it is released")
                    .anyMatch(command -> command instanceof ReleaseCommand release
                            && release.token().equals(grantedToken));
            assertThat(successor.isDone()
                            && !successor.isCompletedExceptionally()
                            && successor.join().isHeld())
                    .isFalse();
            successor.thenAccept(EngineInterleavings::releasing);
            successor.cancel(false);
            await().pollInterval(Duration.ofMillis(1)).until(() -> {
                backend.forget();
                return engine.admin().waiters().isEmpty() && engine.heldLocks().size() == 0;
            });
        }
    }

    @Test
    void theFencingTokenAloneNamesTheSlotOfAHoldOfThisInstance() {
        CompletableFuture<LockHandle> acquiring = engine.acquireAsync(REQUEST.permits(2));
        backend.nextAcquire().answer().complete(new AcquireResult.Granted(9, 0, Optional.empty(), "", 1));
        assertThat(acquiring).succeedsWithin(Patience.TIME);
        CompletableFuture<Revocation> revoking = engine.admin().revoke(KEY, 9);

        Sent<ReleaseCommand, ReleaseResult> release = backend.nextRelease();
        assertThat(release.command().slots()).isEqualTo(Slots.one(1));
        release.answer().complete(new ReleaseResult.Released(0));
        assertThat(revoking).succeedsWithin(Patience.TIME).isEqualTo(new Revocation.Revoked());
    }

    @Test
    void anOperatorGetsTheOutcomeOfTheRelease() throws Exception {
        LockHandle held = waitedFor(100);
        CompletableFuture<Revocation> freed = engine.admin().revoke(KEY, held.fencingToken());
        assertThat(held.isHeld()).isFalse();
        Sent<ReleaseCommand, ReleaseResult> release = backend.nextRelease();
        assertThat(release.command().token()).isEqualTo(grantedToken);
        assertThat(freed).isNotDone();
        release.answer().complete(new ReleaseResult.Released(0));
        assertThat(resultOf(freed)).isEqualTo(new Revocation.Revoked());

        LockHandle next = waitedFor(200);
        CompletableFuture<Revocation> unknown = engine.admin().revoke(KEY, next.fencingToken());
        assertThat(next.isHeld()).isFalse();
        backend.nextRelease().answer().complete(new ReleaseResult.Unknown("connection reset", cause));
        assertThat(resultOf(unknown))
                .isInstanceOfSatisfying(Revocation.Unknown.class, revocation -> assertThat(revocation.reason())
                        .contains("has lost it", "the release is repeated", "connection reset"));
    }

    @Test
    void anOperatorsReleaseFollowsTheAnswerToARenewal() throws Exception {
        LockHandle held = waitedFor(100);
        backend.log.clear();
        List<CompletableFuture<Revocation>> asked = new ArrayList<>();
        backend.duringRenewal = () -> {
            backend.duringRenewal = () -> {};
            asked.add(engine.admin().revoke(KEY, held.fencingToken()));
        };

        CompletableFuture.runAsync(
                () -> held.extend(REQUEST.lease(Duration.ofSeconds(30))), EngineInterleavings::onNewThread);
        Sent<RenewCommand, RenewResult> renewal = backend.nextRenewal();
        assertThat(held.isHeld()).isFalse();
        assertThat(backend.isQuiet()).as("nothing follows before the answer").isTrue();
        renewal.answer().complete(new RenewResult.Renewed());

        backend.nextRelease().answer().complete(new ReleaseResult.Released(0));
        assertThat(backend.log).hasSize(2);
        assertThat(backend.log.get(0)).isInstanceOf(RenewCommand.class);
        assertThat(asked.get(0).get(Patience.SECONDS, TimeUnit.SECONDS)).isEqualTo(new Revocation.Revoked());
    }

    @Test
    void anOperatorGetsAnOutcomeEvenIfARenewalFindsTheLockLost() throws Exception {
        LockHandle held = waitedFor(100);
        CompletableFuture.runAsync(
                () -> held.extend(REQUEST.lease(Duration.ofSeconds(30))), EngineInterleavings::onNewThread);
        Sent<RenewCommand, RenewResult> renewal = backend.nextRenewal();
        CompletableFuture<Revocation> revoking = engine.admin().revoke(KEY, held.fencingToken());
        renewal.answer().complete(new RenewResult.NotHeld());

        await().untilAsserted(() -> {
            backend.forget();
            assertThat(revoking).isDone();
        });
        assertThat(held.isHeld()).isFalse();
    }

    @Test
    void aThreadLearnsOfTheRevocationWhenItAcquiresAgain() throws Exception {
        ExecutorService thread = Executors.newSingleThreadExecutor();
        Future<LockHandle> acquiring = thread.submit(() -> engine.acquire(REQUEST));
        backend.nextAcquire().answer().complete(new AcquireResult.Granted(7, 0));
        resultOf(acquiring);
        CompletableFuture<Revocation> freed = engine.admin().revoke(KEY, 7);
        backend.nextRelease().answer().complete(new ReleaseResult.Released(0));
        assertThat(resultOf(freed)).isEqualTo(new Revocation.Revoked());

        Future<LockHandle> again = thread.submit(() -> engine.acquire(REQUEST));

        assertFails(again, LockLostException.class);
        thread.shutdown();
    }

    @Test
    void aGrantThatWasRevokedBeforeItsAnswerIsNotDelivered() throws Exception {
        CompletableFuture<LockHandle> acquiring = engine.acquireAsync(REQUEST.withoutWaiting());
        Sent<AcquireCommand, AcquireResult> attempt = backend.nextAcquire();

        backend.revoked(KEY, attempt.command().token().fingerprint());
        attempt.answer().complete(new AcquireResult.Granted(7, 0));

        assertThatThrownBy(() -> resultOf(acquiring))
                .isInstanceOf(ExecutionException.class)
                .hasCauseInstanceOf(LockBackendException.class)
                .hasMessageContaining("an operator took it away");
        assertThat(backend.nextRelease().command().token())
                .isEqualTo(attempt.command().token());
        assertThat(engine.heldLocks().size()).isZero();
        assertThat(events).isEmpty();
    }

    @Test
    void theNextWaiterWaitsForAnotherGrantAfterARevocation() throws Exception {
        CompletableFuture<LockHandle> first = engine.acquireAsync(REQUEST);
        CompletableFuture<LockHandle> second = engine.acquireAsync(REQUEST);
        Sent<AcquireCommand, AcquireResult> attempt = backend.nextAcquire();

        backend.revoked(KEY, attempt.command().token().fingerprint());
        attempt.answer().complete(new AcquireResult.Granted(7, 0));
        assertThat(first).failsWithin(Patience.TIME);
        backend.nextRelease().answer().complete(new ReleaseResult.NotHeld());

        backend.nextAcquire().answer().complete(new AcquireResult.Granted(8, 0));
        assertThat(resultOf(second).fencingToken()).isEqualTo(8);
    }
}
