package io.github.lockstarter.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockBackendException;
import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockException;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockStoreRecoveringException;
import io.github.lockstarter.ReleaseOutcome;
import io.github.lockstarter.StoreEvent;
import io.github.lockstarter.engine.ManualBackend.Sent;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.ReleaseResult;
import io.github.lockstarter.spi.RenewCommand;
import io.github.lockstarter.spi.RenewResult;
import io.github.lockstarter.testing.Effort;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Answers to callers and holders while the backend recovers. */
@Tag(Effort.SLOW)
class EngineRecoveryTests extends EngineInterleavings {

    private static final Duration LEASE = Duration.ofSeconds(10);
    private static final AcquireResult RECOVERING =
            new AcquireResult.Recovering(Duration.ofSeconds(20), "Redis at here lost its data");

    @Test
    void aWaiterAcquiresWhenTheBackendHasRecovered() throws Exception {
        CompletableFuture<LockHandle> waiting = engine.acquireAsync(REQUEST.maxWait(Duration.ofSeconds(5)));
        backend.nextAcquire()
                .answer()
                .complete(new AcquireResult.Recovering(Duration.ofSeconds(3), "Redis at here lost its data"));
        letPass(Duration.ofSeconds(4));
        backend.nextAcquire().answer().complete(new AcquireResult.Granted(17, 0));
        assertThat(resultOf(waiting).fencingToken()).isEqualTo(17);
    }

    @Test
    void theExceptionSaysForHowLongTheBackendRecovers() {
        CompletableFuture<LockHandle> once = engine.acquireAsync(REQUEST.maxWait(Duration.ZERO));
        backend.nextAcquire().answer().complete(RECOVERING);
        assertThatThrownBy(() -> resultOf(once))
                .cause()
                .isInstanceOfSatisfying(LockStoreRecoveringException.class, refused -> {
                    assertThat(refused.retryAfter()).isEqualTo(Duration.ofSeconds(20));
                    assertThat(refused.key()).isEqualTo(KEY);
                })
                .hasMessage("Could not acquire lock 'order:42' at once (1 attempt): Redis at here lost its data, so it"
                        + " grants no free locks for another 20s (the grace period, by default"
                        + " distributed-lock.max-lease), since owners of forgotten locks may still be working. There"
                        + " is nothing to do: after that time free locks are granted again");
        assertThat(refusals).containsExactly(LockEvent.Refusal.RECOVERING);
    }

    /** An empty result would mean that another owner has the lock. */
    @Test
    void failsAnAttemptThatTheBackendRefusesToDecide() {
        CompletableFuture<Optional<LockHandle>> once = new CompletableFuture<>();
        EngineInterleavings.onNewThread(() -> {
            try {
                once.complete(engine.tryAcquire(REQUEST.maxWait(Duration.ZERO)));
            } catch (LockException e) {
                once.completeExceptionally(e);
            }
        });
        backend.nextAcquire().answer().complete(RECOVERING);
        assertThatThrownBy(() -> resultOf(once)).cause().isInstanceOf(LockStoreRecoveringException.class);
    }

    @Test
    void failsAWaitThatEndsWhileTheBackendRecovers() {
        CompletableFuture<LockHandle> waiting = engine.acquireAsync(REQUEST.maxWait(Duration.ofMillis(50)));
        backend.nextAcquire().answer().complete(RECOVERING);
        letPass(Duration.ofMillis(50));
        assertThatThrownBy(() -> resultOf(waiting))
                .cause()
                .isInstanceOf(LockStoreRecoveringException.class)
                .hasMessageStartingWith("Could not acquire lock 'order:42' within 50ms (1 attempt): Redis at here");
    }

    @Test
    void reportsARecoveryOnceAndItsEndOnce() {
        for (int i = 0; i < 3; i++) {
            backend.storeEvent(recovering(Duration.ofMillis(1_300 - i)));
        }
        assertThat(storeEvents).singleElement().isInstanceOf(StoreEvent.RecoveryStarted.class);
        letPass(Duration.ofMillis(1_300));
        await().untilAsserted(() -> assertThat(storeEvents)
                .extracting(StoreEvent::getClass)
                .containsExactly(StoreEvent.RecoveryStarted.class, StoreEvent.RecoveryEnded.class));
        backend.storeEvent(recovering(Duration.ofMillis(3))); // a late answer
        assertThat(storeEvents).hasSize(2);
        backend.storeEvent(recovering(Duration.ofSeconds(30)));
        assertThat(storeEvents).hasSize(3);
    }

    @Test
    void reportsTheEndOfAProlongedRecoveryOnceAndLater() {
        backend.storeEvent(recovering(Duration.ofSeconds(11)));
        backend.storeEvent(recovering(Duration.ofSeconds(16)));
        letPass(Duration.ofSeconds(12));
        await().during(Duration.ofMillis(Patience.MOMENT_MILLIS))
                .untilAsserted(() -> assertThat(storeEvents).hasSize(1));
        letPass(Duration.ofSeconds(4));
        await().untilAsserted(() -> assertThat(storeEvents).hasSize(2));
        assertThat(storeEvents.get(1)).isInstanceOf(StoreEvent.RecoveryEnded.class);
    }

    private static StoreEvent.RecoveryStarted recovering(Duration remaining) {
        return new StoreEvent.RecoveryStarted("Redis at here", StoreEvent.Scope.ALL, "problem", remaining);
    }

    @Test
    void repeatsARenewalAtOnceWhenItIsDeferredForZeroTime() throws Exception {
        LockHandle held = granted(LockRequest.of(KEY).lease(LEASE), 1);
        letPass(LEASE.dividedBy(3));
        Sent<RenewCommand, RenewResult> first = backend.nextRenewal();
        first.answer().complete(new RenewResult.Deferred(Duration.ZERO));
        settle();
        Sent<RenewCommand, RenewResult> second = backend.pollRenewal().orElseThrow();
        second.answer().complete(new RenewResult.Renewed());
        assertThat(held.remainingLease()).isGreaterThan(LEASE.dividedBy(2));
        assertThat(losses).isEmpty();
    }

    @Test
    void aDeferredRenewalKeepsTheDeadline() throws Exception {
        LockHandle held = granted(LockRequest.of(KEY).lease(LEASE), 1);
        letPass(LEASE.dividedBy(3));
        backend.nextRenewal().answer().complete(new RenewResult.Deferred(Duration.ofMillis(200)));
        assertThat(held.remainingLease()).isLessThan(LEASE.multipliedBy(2).dividedBy(3));
        assertThat(held.isHeld()).isTrue();
        letPass(Duration.ofMillis(200));
        backend.nextRenewal().answer().complete(new RenewResult.Renewed());
        assertThat(held.isHeld()).isTrue();
    }

    @Test
    void doesNotRepeatADeferredRenewalAfterTheRelease() throws Exception {
        LockHandle held = granted(LockRequest.of(KEY).lease(LEASE), 1);
        letPass(LEASE.dividedBy(3));
        Sent<RenewCommand, RenewResult> first = backend.nextRenewal();
        CompletableFuture<ReleaseOutcome> releasing = releasing(held);
        await().until(() -> !held.isHeld());
        first.answer().complete(new RenewResult.Deferred(Duration.ZERO));
        backend.nextRelease().answer().complete(new ReleaseResult.NotHeld());
        assertThat(resultOf(releasing)).isEqualTo(ReleaseOutcome.LOST);
        LockHandle other = granted(LockRequest.of("other").lease(LEASE), 1);
        letPass(LEASE.dividedBy(3));
        assertThat(backend.nextRenewal().command().key()).isEqualTo(other.key());
    }

    @Test
    void repeatsAnExtensionOnceWhenItIsDeferredForZeroTime() throws Exception {
        LockHandle held = granted(LockRequest.of(KEY).lease(LEASE).withoutRenewal(), 1);
        CompletableFuture<Void> extending = CompletableFuture.runAsync(
                () -> held.extend(REQUEST.lease(LEASE.multipliedBy(2))), EngineInterleavings::onNewThread);
        backend.nextRenewal().answer().complete(new RenewResult.Deferred(Duration.ZERO));
        backend.nextRenewal().answer().complete(new RenewResult.Renewed());
        resultOf(extending);
        assertThat(held.remainingLease()).isGreaterThan(LEASE);

        CompletableFuture<Void> refused = CompletableFuture.runAsync(
                () -> held.extend(REQUEST.lease(LEASE.multipliedBy(3))), EngineInterleavings::onNewThread);
        backend.nextRenewal().answer().complete(new RenewResult.Deferred(Duration.ZERO));
        backend.nextRenewal().answer().complete(new RenewResult.Deferred(Duration.ofSeconds(1)));
        assertThatThrownBy(() -> resultOf(refused))
                .cause()
                .isInstanceOf(LockBackendException.class)
                .hasMessageContaining("the lock store is recovering for 1s more; its lease is unchanged");
    }
}
