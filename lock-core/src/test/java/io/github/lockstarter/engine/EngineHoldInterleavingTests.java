package io.github.lockstarter.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.HeldLock;
import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockEvent.LossCause;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.OnLost;
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
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** Holding, renewing, losing and releasing with answers that are late, missing or at the worst moment. */
class EngineHoldInterleavingTests extends EngineInterleavings {

    private static final Duration LEASE = EngineSettings.DEFAULTS.lease();

    @Test
    @ExtendWith(OutputCaptureExtension.class)
    void saysForHowLongTheJvmWasPaused(CapturedOutput output) throws Exception {
        granted(REQUEST, 1);
        letPass(Duration.ofSeconds(76));

        await().untilAsserted(() -> assertThat(output)
                .containsPattern("This JVM was paused for about 7\\d(\\.\\d)?s and renewed no lock meanwhile, or"));
    }

    @Test
    void showsTheEndOfAnExtendedLeaseAsTheMaximumHold() throws Exception {
        LockHandle handle = granted(REQUEST.withoutRenewal(), 1);
        letPass(LEASE.dividedBy(2));
        CompletableFuture<Void> extending =
                CompletableFuture.runAsync(() -> handle.extend(REQUEST), EngineInterleavings::onNewThread);
        backend.nextRenewal().answer().complete(new RenewResult.Renewed());
        resultOf(extending);

        assertThat(engine.heldLocks().snapshot()).singleElement().satisfies(held -> assertThat(held.maxHold())
                .hasValue(held.heldFor().plus(held.remainingLease()))
                .hasValueSatisfying(longest -> assertThat(longest).isGreaterThan(LEASE)));
    }

    @Test
    void aLeaseEndsWhileTheMachineIsSuspended() throws Exception {
        LockHandle handle = granted(REQUEST, 1);
        assertThat(handle.isHeld()).isTrue();
        suspend(Duration.ofMillis(30_100));

        assertThat(handle.isHeld()).isFalse();
        wallMillis.addAndGet(-30_100);
        assertThat(handle.isHeld()).as("a lost lease does not come back").isFalse();
        awaitLoss(LossCause.LEASE_EXPIRED);
    }

    @Test
    void aLateRenewalDoesNotReviveALease() throws Exception {
        LockHandle handle = granted(REQUEST, 1);
        CountDownLatch lost = new CountDownLatch(1);
        handle.onLost(lost::countDown);
        letPass(LEASE.dividedBy(3));
        Sent<RenewCommand, RenewResult> renewal = backend.nextRenewal();
        letPass(LEASE.dividedBy(3).multipliedBy(2));

        assertThat(lost.await(Patience.SECONDS, TimeUnit.SECONDS)).isTrue();
        renewal.answer().complete(new RenewResult.Renewed());
        assertThat(handle.isHeld()).isFalse();
        assertThatThrownBy(handle::ensureHeld)
                .isInstanceOf(LockLostException.class)
                .hasMessageContaining("Lost lock 'order:42' (fencing token 1)")
                .hasMessageContaining("the 30s lease ran out");
        await().untilAsserted(() -> assertThat(losses).hasSize(1)); // reported on another thread
    }

    @Test
    void repeatsAnUnansweredRenewalWhileTheLeaseLasts() throws Exception {
        LockHandle handle = granted(REQUEST, 1);
        letPass(LEASE.dividedBy(3));
        backend.nextRenewal(); // never answered
        letPass(LEASE.dividedBy(3));
        backend.nextRenewal().answer().complete(new RenewResult.Renewed());

        letPass(LEASE.dividedBy(3));
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
        LockHandle handle = granted(REQUEST, 1);
        letPass(LEASE.dividedBy(3));
        await().until(() -> failures.get() > 0);
        letPass(LEASE.dividedBy(3));
        backend.nextRenewal().answer().complete(new RenewResult.Renewed());
        assertThat(failures.get()).isGreaterThan(1);
        assertThat(handle.isHeld()).isTrue();
    }

    @Test
    void sendsTheReleaseAfterTheAnswerToTheRenewal() throws Exception {
        CountDownLatch writing = new CountDownLatch(1);
        CountDownLatch written = new CountDownLatch(1);
        backend.duringRenewal = () -> {
            writing.countDown();
            awaitQuietly(written);
        };
        LockHandle handle = granted(REQUEST, 1);
        letPass(LEASE.dividedBy(3));
        assertThat(writing.await(Patience.SECONDS, TimeUnit.SECONDS)).isTrue();
        CompletableFuture<ReleaseOutcome> releasing = releasing(handle);
        await().until(() -> !handle.isHeld());
        written.countDown();
        Sent<RenewCommand, RenewResult> renewal = backend.nextRenewal();
        assertThat(backend.log).noneMatch(ReleaseCommand.class::isInstance);
        renewal.answer().complete(new RenewResult.Renewed());

        backend.nextRelease().answer().complete(new ReleaseResult.Released(0));
        assertThat(resultOf(releasing)).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(backend.log.get(backend.log.size() - 1)).isInstanceOf(ReleaseCommand.class);
        assertThat(backend.log).filteredOn(RenewCommand.class::isInstance).hasSize(1);
    }

    @Test
    void sendsTheReleaseAfterTheAnswersToAllRenewals() throws Exception {
        LockHandle handle = granted(REQUEST, 1);
        letPass(LEASE.dividedBy(3));
        Sent<RenewCommand, RenewResult> first = backend.nextRenewal();
        letPass(LEASE.dividedBy(3));
        Sent<RenewCommand, RenewResult> repeated = backend.nextRenewal();
        CompletableFuture<ReleaseOutcome> releasing = releasing(handle);
        await().until(() -> !handle.isHeld());
        repeated.answer().complete(new RenewResult.Renewed());
        assertThat(backend.log).noneMatch(ReleaseCommand.class::isInstance);
        first.answer().complete(new RenewResult.Unknown("no answer within 2s", cause));

        backend.nextRelease().answer().complete(new ReleaseResult.Released(0));
        assertThat(resultOf(releasing)).isEqualTo(ReleaseOutcome.RELEASED);
    }

    @Test
    void repeatsAnUnansweredReleaseAndReportsAnUnknownOutcome() throws Exception {
        LockHandle handle = granted(REQUEST, 9);
        CompletableFuture<ReleaseOutcome> releasing = releasing(handle);
        backend.nextRelease().answer().complete(new ReleaseResult.Unknown("no answer", cause));

        assertThat(resultOf(releasing)).isEqualTo(ReleaseOutcome.UNKNOWN);
        backend.nextRelease().answer().complete(new ReleaseResult.Unknown("no answer", cause));
        backend.nextRelease().answer().complete(new ReleaseResult.Released(0));
    }

    @Test
    void sendsTheReleaseOfALostLockAfterTheAnswerToTheRenewal() throws Exception {
        CountDownLatch writing = new CountDownLatch(1);
        CountDownLatch written = new CountDownLatch(1);
        backend.duringRenewal = () -> {
            writing.countDown();
            awaitQuietly(written);
        };
        LockHandle handle = granted(REQUEST, 1);
        letPass(LEASE.dividedBy(3));
        assertThat(writing.await(Patience.SECONDS, TimeUnit.SECONDS)).isTrue();
        letPass(LEASE.dividedBy(3).multipliedBy(2));
        await().until(() -> !handle.isHeld());
        assertThat(handle.release()).isEqualTo(ReleaseOutcome.LOST);
        written.countDown();
        Sent<RenewCommand, RenewResult> renewal = backend.nextRenewal();
        assertThat(backend.log).noneMatch(ReleaseCommand.class::isInstance);
        renewal.answer().complete(new RenewResult.Unknown("no answer within 2s", cause));

        backend.nextRelease().answer().complete(new ReleaseResult.NotHeld());
        assertThat(backend.log.get(backend.log.size() - 1)).isInstanceOf(ReleaseCommand.class);
    }

    @Test
    void throwsOnceForALockThatTheThreadLostAndNeverReleased() throws Exception {
        LockRequest lapsing = REQUEST.withoutRenewal();
        CompletableFuture<Long> fencingTokens = CompletableFuture.supplyAsync(
                () -> {
                    engine.acquire(lapsing);
                    letPass(LEASE);
                    await().until(() -> engine.heldLocks().size() == 0);
                    assertThatThrownBy(() -> engine.acquire(REQUEST)).isInstanceOf(LockLostException.class);
                    return engine.acquire(REQUEST).fencingToken();
                },
                EngineInterleavings::onNewThread);
        backend.nextAcquire().answer().complete(new AcquireResult.Granted(1, 0));
        backend.nextAcquire().answer().complete(new AcquireResult.Granted(2, 0));
        assertThat(resultOf(fencingTokens)).isEqualTo(2);
    }

    @Test
    void aHoldEndsAtOnceWhenTheBackendGrantsItsKeyToAnotherCaller() throws Exception {
        CountDownLatch displaced = new CountDownLatch(1);
        CompletableFuture<ReleaseOutcome> owner = CompletableFuture.supplyAsync(
                () -> {
                    LockHandle outer = engine.acquire(REQUEST);
                    awaitQuietly(displaced);
                    assertThat(outer.isHeld()).isFalse();
                    assertThatThrownBy(() -> engine.acquire(REQUEST))
                            .isInstanceOf(LockLostException.class)
                            .hasMessageContaining("fencing token 1");
                    return outer.release();
                },
                EngineInterleavings::onNewThread);
        backend.nextAcquire().answer().complete(new AcquireResult.Granted(1, 0));
        await().until(() -> engine.heldLocks().size() == 1);
        CompletableFuture<LockHandle> other = engine.acquireAsync(REQUEST);
        backend.signal(KEY); // the key was deleted
        backend.nextAcquire().answer().complete(new AcquireResult.Granted(2, 0));
        assertThat(resultOf(other).isHeld()).isTrue();
        assertThat(engine.heldLocks().size()).isEqualTo(1);
        await().untilAsserted(() -> assertThat(losses).singleElement().satisfies(lost -> {
            assertThat(lost.fencingToken()).isEqualTo(1);
            assertThat(lost.cause()).isEqualTo(LossCause.OWNER_CHANGED);
        }));
        displaced.countDown();

        assertThat(resultOf(owner)).isEqualTo(ReleaseOutcome.LOST);
        backend.nextRelease().answer().complete(new ReleaseResult.NotHeld());
        assertThat(other.join().isHeld()).isTrue();
        assertThat(engine.heldLocks().snapshot())
                .singleElement()
                .extracting(HeldLock::fencingToken)
                .isEqualTo(2L);
    }

    @Test
    void aHoldThatIsBeingReleasedEndsWhenTheBackendGrantsItsKeyToAnotherCaller() throws Exception {
        LockHandle first = granted(REQUEST, 1);
        CompletableFuture.runAsync(
                () -> first.extend(REQUEST.lease(Duration.ofSeconds(30))), EngineInterleavings::onNewThread);
        Sent<RenewCommand, RenewResult> extension = backend.nextRenewal();
        CompletableFuture<LockHandle> waiting = engine.acquireAsync(REQUEST);
        backend.signal(KEY); // the key was deleted
        Sent<AcquireCommand, AcquireResult> attempt = backend.nextAcquire();
        CompletableFuture<ReleaseOutcome> releasing = releasing(first);
        await().until(() -> !first.isHeld());
        attempt.answer().complete(new AcquireResult.Granted(2, 0));
        LockHandle second = resultOf(waiting);

        assertThat(resultOf(releasing)).isEqualTo(ReleaseOutcome.LOST);
        extension.answer().complete(new RenewResult.NotHeld());
        assertThat(second.isHeld()).isTrue();
        assertThat(engine.heldLocks().size()).isEqualTo(1);
    }

    /** An error of the timer's thread, such as out of memory, must not end the renewals. */
    @Test
    void repeatsACheckOfTheTimerThatFails() throws Exception {
        AtomicInteger failures = new AtomicInteger();
        onClock = () -> {
            if (isLookOfTheWatchdog() && failures.getAndIncrement() == 0) {
                throw new OutOfMemoryError("planted");
            }
        };
        LockHandle handle = granted(REQUEST, 1);
        letPass(LEASE.dividedBy(3));
        await().until(() -> failures.get() > 0);
        letPass(LEASE.dividedBy(3));
        backend.nextRenewal().answer().complete(new RenewResult.Renewed());
        assertThat(failures).hasValueGreaterThan(1);
        assertThat(handle.isHeld()).isTrue();
    }

    private static boolean isLookOfTheWatchdog() {
        return Thread.currentThread().getName().startsWith("lock-watchdog")
                && StackWalker.getInstance()
                        .walk(frames ->
                                frames.anyMatch(frame -> frame.getMethodName().equals("runInTick")));
    }

    @Test
    void doesNotThrowAgainForALossThatTheReleaseReported() throws Exception {
        for (int i = 0; i < 200; i++) {
            CountDownLatch start = new CountDownLatch(1);
            CompletableFuture<LockHandle> got = new CompletableFuture<>();
            CompletableFuture<Boolean> again = CompletableFuture.supplyAsync(
                    () -> {
                        LockHandle handle = engine.acquire(REQUEST);
                        got.complete(handle);
                        awaitQuietly(start);
                        handle.release();
                        return engine.tryAcquire(REQUEST.withoutWaiting()).isPresent();
                    },
                    EngineInterleavings::onNewThread);
            backend.nextAcquire().answer().complete(new AcquireResult.Granted(1, 0));
            LockHandle handle = resultOf(got);
            suspend(Duration.ofMillis(30_100));
            start.countDown();
            handle.isHeld(); // finds the loss while the owner releases
            backend.nextAcquire().answer().complete(contended());
            assertThat(resultOf(again)).isFalse();
        }
    }

    @Test
    void reportsALossSoonAfterASuspension() throws Exception {
        LockHandle handle = granted(REQUEST, 1);
        CountDownLatch lost = new CountDownLatch(1);
        handle.onLost(lost::countDown);
        suspend(Duration.ofMillis(30_100));
        letPass(Duration.ofSeconds(1)); // far below a third of the lease, after which a renewal would notice the loss
        assertThat(lost.await(Patience.SECONDS, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void dropsTheLossCallbacksOfAReleasedNestedHold() throws Exception {
        AtomicInteger called = new AtomicInteger();
        CompletableFuture<LockHandle> outer = CompletableFuture.supplyAsync(
                () -> {
                    LockHandle handle = engine.acquire(REQUEST);
                    LockHandle nested = engine.acquire(REQUEST);
                    nested.onLost(called::incrementAndGet);
                    assertThat(nested.release()).isEqualTo(ReleaseOutcome.STILL_HELD);
                    return handle;
                },
                EngineInterleavings::onNewThread);
        backend.nextAcquire().answer().complete(new AcquireResult.Granted(1, 0));
        CountDownLatch outerTold = new CountDownLatch(1);
        LockHandle handle = resultOf(outer);
        handle.onLost(outerTold::countDown);
        suspend(Duration.ofMillis(30_100));

        assertThat(handle.isHeld()).isFalse();
        assertThat(outerTold.await(Patience.SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(called).hasValue(0);
    }

    @Test
    void repeatsAReleaseForAsLongAsAnUnansweredExtensionMayHaveMadeTheLease() throws Exception {
        LockHandle handle = granted(REQUEST.lease(Duration.ofMillis(700)).withoutRenewal(), 1);
        CompletableFuture<Void> extending = CompletableFuture.runAsync(
                () -> handle.extend(REQUEST.lease(Duration.ofSeconds(30))), EngineInterleavings::onNewThread);
        backend.nextRenewal().answer().complete(new RenewResult.Renewed());
        resultOf(extending);
        releasing(handle);
        for (int i = 0; i < 5; i++) { // 50 + 100 + 200 + 400 ms: beyond the first lease
            backend.nextRelease().answer().complete(new ReleaseResult.Unknown("no answer", cause));
            letPass(Duration.ofMillis(400));
        }
    }

    @Test
    void aReleaseThatFailsAtOnceIsRepeatedLater() throws Exception {
        LockHandle handle = granted(REQUEST, 1);
        backend.refusesReleases = true;
        assertThat(handle.release()).isEqualTo(ReleaseOutcome.UNKNOWN);
        letPass(Duration.ofMillis(50));
        await().untilAsserted(() -> assertThat(backend.log)
                .filteredOn(ReleaseCommand.class::isInstance)
                .hasSizeBetween(2, 6));
        backend.refusesReleases = false;
        letPass(Duration.ofMillis(200));
        backend.nextRelease().answer().complete(new ReleaseResult.Released(0));
    }

    @Test
    void aGrantWithoutACallerEndsTheEarlierHoldOfTheKey() throws Exception {
        LockHandle held = granted(REQUEST, 1);
        CompletableFuture<LockHandle> other = engine.acquireAsync(REQUEST.lease(Duration.ofSeconds(11)));
        backend.signal(KEY); // the lock is lost, such as after a failover
        Sent<AcquireCommand, AcquireResult> attempt = backend.nextAcquire();
        other.cancel(false);
        attempt.answer().complete(grant(2, 0));

        assertThat(backend.nextRelease().command().token())
                .as("free for any other instance")
                .isEqualTo(attempt.command().token());
        assertThat(held.isHeld()).isFalse();
        awaitLoss(LossCause.OWNER_CHANGED);
    }

    @Test
    void reportsALossBeforeTheDeliveryTogetherWithTheGrant() throws Exception {
        List<Class<?>> received = new CopyOnWriteArrayList<>();
        ManualBackend own = new ManualBackend();
        LockEngine late = new LockEngine(
                own, EngineSettings.DEFAULTS, List.of(event -> received.add(event.getClass())), environment());
        CompletableFuture<LockHandle> acquiring = late.acquireAsync(REQUEST.withoutRenewal());
        Sent<AcquireCommand, AcquireResult> attempt = own.nextAcquire();
        onClock = () -> {
            if (late.heldLocks().size() > 0) { // granted and not delivered yet
                onClock = () -> {};
                letPass(LEASE);
            }
        };
        attempt.answer().complete(new AcquireResult.Granted(1, 0));

        assertFails(acquiring, LockLostException.class);
        await().untilAsserted(() -> assertThat(received)
                .containsExactlyInAnyOrder(LockEvent.Acquired.class, LockEvent.Lost.class, LockEvent.Released.class));
        own.answerTheRest();
        late.stop();
    }

    /** One of several locks can be held already, with another term. */
    @Test
    void aLossOfSeveralLocksHasTheStrictestTermOfThem() throws Exception {
        List<OnLost> mildestFirst = List.of(OnLost.RETURN, OnLost.THROW, OnLost.INTERRUPT);
        Map<OnLost, Handle> held = new EnumMap<>(OnLost.class);
        for (OnLost term : mildestFirst) {
            held.put(term, (Handle) granted(LockRequest.of(term.name()).onLost(term), 100));
        }
        for (OnLost one : mildestFirst) {
            for (OnLost other : mildestFirst) {
                OnLost strictest = mildestFirst.indexOf(one) > mildestFirst.indexOf(other) ? one : other;
                assertThat(new CompositeHandle(List.of(held.get(one), held.get(other))).onLost())
                        .as("%s and %s", one, other)
                        .isEqualTo(strictest);
            }
        }
    }
}
