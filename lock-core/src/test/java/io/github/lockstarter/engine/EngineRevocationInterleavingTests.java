package io.github.lockstarter.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockAdmin.Revocation;
import io.github.lockstarter.LockBackendException;
import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockEvent.LossCause;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.ReleaseOutcome;
import io.github.lockstarter.engine.ManualBackend.Sent;
import io.github.lockstarter.engine.backend.RecentRevocations;
import io.github.lockstarter.engine.settings.EngineSettings;
import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.ReleaseCommand;
import io.github.lockstarter.spi.ReleaseResult;
import io.github.lockstarter.spi.RenewCommand;
import io.github.lockstarter.spi.RenewResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** A lock is taken away while it is being granted, handed over, left or renewed: nobody goes on as its holder. */
class EngineRevocationInterleavingTests extends EngineInterleavings {

    EngineRevocationInterleavingTests() {
        super(new EngineSettings.HandOver(16, Duration.ofSeconds(20)));
    }

    private LockToken grantedToken;

    /** A hold with fencing tokens for hand-overs, whose lock token is known to the test. */
    private LockHandle waitedFor(long firstFencingToken) throws Exception {
        CompletableFuture<LockHandle> acquiring = engine.acquireAsync(REQUEST);
        backend.nextAcquire().answer().complete(contended());
        backend.signal(KEY);
        Sent<AcquireCommand, AcquireResult> attempt = backend.nextAcquire();
        grantedToken = attempt.command().token();
        attempt.answer().complete(new AcquireResult.Granted(firstFencingToken, 0));
        return acquiring.get(5, TimeUnit.SECONDS);
    }

    private void revoked() {
        backend.revoked(KEY, grantedToken.fingerprint());
    }

    @Test
    void aMessageEndsTheHoldOfThatLockTokenOnly() throws Exception {
        LockHandle held = waitedFor(100);

        backend.revoked(KEY, new LockToken("0", 1).fingerprint());
        backend.revoked("order:43", grantedToken.fingerprint());
        assertThat(held.isHeld()).isTrue();

        revoked();
        assertThat(held.isHeld()).isFalse();
        await().untilAsserted(() ->
                assertThat(losses).extracting(LockEvent.Lost::cause).containsExactly(LossCause.REVOKED));
    }

    @Test
    void whatTheStoreMayStillHaveOfItIsReleased() throws Exception {
        waitedFor(100);
        revoked();
        assertThat(backend.nextRelease().command().token()).isEqualTo(grantedToken);
    }

    @Test
    void thatReleaseFollowsARenewalThatIsBeingWritten() throws Exception {
        LockHandle held = waitedFor(100);
        backend.log.clear();
        backend.duringRenewal = () -> {
            backend.duringRenewal = () -> {};
            revoked();
        };

        CompletableFuture.runAsync(
                () -> held.extend(REQUEST.leasedFor(Duration.ofSeconds(30))), EngineInterleavings::onNewThread);

        backend.nextRelease();
        assertThat(backend.log).hasSize(2);
        assertThat(backend.log.get(0)).isInstanceOf(RenewCommand.class);
    }

    /**
     * The first waiter gives up while it is tried: then there is no hold of that lock token while the lease of the
     * second is armed.
     */
    @Test
    void nobodyGetsWhatIsTakenAwayWhileNoHoldOfItIsThere() throws Exception {
        LockHandle first = waitedFor(100);
        CompletableFuture<LockHandle> fickle = engine.acquireAsync(REQUEST);
        CompletableFuture<LockHandle> patient = engine.acquireAsync(REQUEST.withoutRenewal());
        onClock = () -> {
            if (isTryingAWaiter() && !fickle.isDone()) {
                cancelBeside(fickle);
            }
        };
        releasing(first);
        Sent<RenewCommand, RenewResult> arming = backend.nextRenewal();
        assertThat(fickle).isCancelled();
        assertThat(engine.heldLocks().size()).isZero();

        revoked();
        arming.answer().complete(new RenewResult.Renewed());

        assertThat(backend.nextRelease().command().token()).isEqualTo(grantedToken);
        assertThat(patient).isNotDone();
        assertThat(engine.heldLocks().size()).isZero();
    }

    private static boolean isTryingAWaiter() {
        return StackWalker.getInstance()
                .walk(frames -> frames.anyMatch(frame -> frame.getClassName().endsWith("HandOver$Offer")
                        && frame.getMethodName().equals("to")));
    }

    /** Decides at once, and then has to wait for the thread that tries it. */
    private static void cancelBeside(CompletableFuture<LockHandle> waiting) {
        Thread canceller = new Thread(() -> waiting.cancel(false));
        canceller.start();
        try {
            canceller.join(200);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * The message comes at each moment at which the leaving thread looks at the clock, before its successor has the
     * lock.
     */
    @Test
    void nobodyHoldsWhatIsTakenAwayWhileItIsHandedOver() throws Exception {
        int readings = 0;
        boolean beforeTheEnd = true;
        while (beforeTheEnd) {
            LockHandle first = waitedFor(100);
            CompletableFuture<LockHandle> successor = engine.acquireAsync(REQUEST);
            AtomicInteger left = new AtomicInteger(++readings);
            String moment = "reading " + readings;
            CompletableFuture<ReleaseOutcome> leaving = CompletableFuture.supplyAsync(
                    () -> {
                        Thread leaver = Thread.currentThread();
                        onClock = () -> revokeAtLast(leaver, left);
                        ReleaseOutcome outcome = first.release();
                        onClock = () -> {};
                        return outcome;
                    },
                    EngineInterleavings::onNewThread);
            await().pollInterval(Duration.ofMillis(2)).until(() -> leaving.isDone() || !backend.isQuiet());
            beforeTheEnd = left.get() <= 0;
            if (beforeTheEnd) {
                await().untilAsserted(() ->
                        assertThat(engine.heldLocks().size()).as(moment).isZero());
                assertThat(successor.isDone()
                                && !successor.isCompletedExceptionally()
                                && successor.join().isHeld())
                        .isFalse();
            }
            successor.thenAccept(EngineInterleavings::releasing);
            successor.cancel(false);
            await().until(() -> {
                backend.forget();
                return engine.heldLocks().size() == 0;
            });
        }
        assertThat(readings).isGreaterThan(4);
    }

    /** On another thread, which may have to wait for the one that leaves. */
    private void revokeAtLast(Thread leaver, AtomicInteger left) {
        if (Thread.currentThread() == leaver && left.decrementAndGet() == 0) {
            Thread message = new Thread(this::revoked);
            message.start();
            try {
                message.join(100);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Test
    void anOperatorIsToldWhatTheReleaseCameTo() throws Exception {
        LockHandle held = waitedFor(100);
        CompletableFuture<Revocation> freed = engine.admin().revoke(KEY, held.fencingToken());
        assertThat(held.isHeld()).isFalse();
        Sent<ReleaseCommand, ReleaseResult> release = backend.nextRelease();
        assertThat(release.command().token()).isEqualTo(grantedToken);
        assertThat(freed).isNotDone();
        release.answer().complete(new ReleaseResult.Released(0));
        assertThat(freed.get(5, TimeUnit.SECONDS)).isEqualTo(new Revocation.Revoked());

        LockHandle next = waitedFor(200);
        CompletableFuture<Revocation> unknown = engine.admin().revoke(KEY, next.fencingToken());
        assertThat(next.isHeld()).isFalse();
        backend.nextRelease().answer().complete(new ReleaseResult.Unknown("connection reset", cause));
        assertThat(unknown.get(5, TimeUnit.SECONDS))
                .isInstanceOfSatisfying(Revocation.Unknown.class, revocation -> assertThat(revocation.reason())
                        .contains("has lost it", "the release is repeated", "connection reset"));
    }

    @Test
    void anOperatorsReleaseFollowsARenewalThatIsBeingWritten() throws Exception {
        LockHandle held = waitedFor(100);
        backend.log.clear();
        List<CompletableFuture<Revocation>> asked = new ArrayList<>();
        backend.duringRenewal = () -> {
            backend.duringRenewal = () -> {};
            asked.add(engine.admin().revoke(KEY, held.fencingToken()));
        };

        CompletableFuture.runAsync(
                () -> held.extend(REQUEST.leasedFor(Duration.ofSeconds(30))), EngineInterleavings::onNewThread);

        backend.nextRelease().answer().complete(new ReleaseResult.Released(0));
        assertThat(backend.log).hasSize(2);
        assertThat(backend.log.get(0)).isInstanceOf(RenewCommand.class);
        assertThat(asked.get(0).get(5, TimeUnit.SECONDS)).isEqualTo(new Revocation.Revoked());
    }

    @Test
    void aThreadWhoseLockAnOperatorReleasedLearnsOfItWhenItAsksForItAgain() throws Exception {
        ExecutorService thread = Executors.newSingleThreadExecutor();
        Future<LockHandle> acquiring = thread.submit(() -> engine.acquire(REQUEST));
        backend.nextAcquire().answer().complete(new AcquireResult.Granted(7, 0));
        acquiring.get(5, TimeUnit.SECONDS);
        CompletableFuture<Revocation> freed = engine.admin().revoke(KEY, 7);
        backend.nextRelease().answer().complete(new ReleaseResult.Released(0));
        assertThat(freed.get(5, TimeUnit.SECONDS)).isEqualTo(new Revocation.Revoked());

        Future<LockHandle> again = thread.submit(() -> engine.acquire(REQUEST));

        assertThatThrownBy(() -> again.get(5, TimeUnit.SECONDS)).hasCauseInstanceOf(LockLostException.class);
        thread.shutdown();
    }

    @Test
    void nobodyGetsWhatWasTakenAwayBeforeTheAnswerThatTellsOfTheGrant() throws Exception {
        CompletableFuture<LockHandle> acquiring = engine.acquireAsync(REQUEST.withoutWaiting());
        Sent<AcquireCommand, AcquireResult> attempt = backend.nextAcquire();

        backend.revoked(KEY, attempt.command().token().fingerprint());
        attempt.answer().complete(new AcquireResult.Granted(7, 0));

        assertThatThrownBy(() -> acquiring.get(5, TimeUnit.SECONDS))
                .isInstanceOf(ExecutionException.class)
                .hasCauseInstanceOf(LockBackendException.class)
                .hasMessageContaining("an operator took it away");
        assertThat(backend.nextRelease().command().token())
                .isEqualTo(attempt.command().token());
        assertThat(engine.heldLocks().size()).isZero();
        assertThat(events).isEmpty();
    }

    @Test
    void aWaiterBehindItGoesOnWaitingForTheNextGrant() throws Exception {
        CompletableFuture<LockHandle> first = engine.acquireAsync(REQUEST);
        CompletableFuture<LockHandle> second = engine.acquireAsync(REQUEST);
        Sent<AcquireCommand, AcquireResult> attempt = backend.nextAcquire();

        backend.revoked(KEY, attempt.command().token().fingerprint());
        attempt.answer().complete(new AcquireResult.Granted(7, 0));
        assertThat(first).failsWithin(5, TimeUnit.SECONDS);
        backend.nextRelease().answer().complete(new ReleaseResult.NotHeld());

        backend.nextAcquire().answer().complete(new AcquireResult.Granted(8, 0));
        assertThat(second.get(5, TimeUnit.SECONDS).fencingToken()).isEqualTo(8);
    }

    @Test
    void remembersAFewMessagesOnly() {
        RecentRevocations recentRevocations = new RecentRevocations();
        LockToken token = new LockToken("a", 1);
        recentRevocations.add(KEY, token.fingerprint());
        for (int other : List.of(2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)) {
            recentRevocations.add(KEY, new LockToken("a", other).fingerprint());
        }
        assertThat(recentRevocations.contains(KEY, token)).isTrue();
        assertThat(recentRevocations.contains("order:43", token)).isFalse();

        recentRevocations.add(KEY, "");
        assertThat(recentRevocations.contains(KEY, token)).isFalse();
        assertThat(recentRevocations.contains(KEY, new LockToken("a", 16))).isTrue();
    }
}
