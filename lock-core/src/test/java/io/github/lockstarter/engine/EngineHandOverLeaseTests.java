package io.github.lockstarter.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.ReleaseOutcome;
import io.github.lockstarter.engine.ManualBackend.Sent;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.ReleaseResult;
import io.github.lockstarter.spi.RenewCommand;
import io.github.lockstarter.spi.RenewResult;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The lease in a hand-over, and leases that are not handed over. */
class EngineHandOverLeaseTests extends HandOverInterleavings {

    @Test
    void handsOverOnlyInTheFirstThirdOfALease() throws Exception {
        LockRequest request = REQUEST.leasedFor(Duration.ofSeconds(6));
        LockHandle first = waitedFor(request, 100, 0);
        engine.acquireAsync(request);
        Sent<RenewCommand, RenewResult> renewal = backend.nextRenewal(); // after a third
        releasing(first);
        renewal.answer().complete(new RenewResult.Renewed());
        assertThat(backend.nextRelease().command().requeue()).isEmpty();
        backend.nextAcquire();
    }

    @Test
    void doesNotHandOverToAWaiterWithAnotherLease() throws Exception {
        LockHandle first = waitedFor(REQUEST, 100, 0);
        engine.acquireAsync(REQUEST.leasedFor(Duration.ofSeconds(10)));
        releasing(first);
        backend.nextRelease();
        assertThat(backend.nextAcquire().command().lease()).isEqualTo(Duration.ofSeconds(10));
    }

    @Test
    void doesNotHandOverAnExtendedLease() throws Exception {
        LockHandle first = waitedFor(REQUEST.leasedFor(Duration.ofSeconds(10)), 100, 0);
        CompletableFuture<Void> extending = CompletableFuture.runAsync(
                () -> first.extend(REQUEST.leasedFor(Duration.ofSeconds(30))), EngineInterleavings::onNewThread);
        backend.nextRenewal().answer().complete(new RenewResult.Renewed());
        extending.get(Patience.SECONDS, TimeUnit.SECONDS);
        engine.acquireAsync(REQUEST.leasedFor(Duration.ofSeconds(10)));
        releasing(first);
        backend.nextRelease();
        backend.nextAcquire();
    }

    @Test
    void doesNotHandOverALockThatAnExtensionFoundLost() throws Exception {
        LockHandle first = waitedFor(REQUEST, 100, 0);
        CompletableFuture.runAsync(
                () -> first.extend(REQUEST.leasedFor(Duration.ofSeconds(30))), EngineInterleavings::onNewThread);
        Sent<RenewCommand, RenewResult> extension = backend.nextRenewal();
        CompletableFuture<LockHandle> waiting = engine.acquireAsync(REQUEST);
        CompletableFuture<ReleaseOutcome> releasing = releasing(first);
        await().until(() -> !first.isHeld());
        assertThat(backend.isQuiet())
                .as("the release follows the answer to the extension")
                .isTrue();
        extension.answer().complete(new RenewResult.NotHeld());

        backend.nextRelease().answer().complete(new ReleaseResult.NotHeld());
        assertThat(releasing.get(Patience.SECONDS, TimeUnit.SECONDS)).isEqualTo(ReleaseOutcome.LOST);
        backend.nextAcquire().answer().complete(new AcquireResult.Granted(300, 0));
        assertThat(waiting.get(Patience.SECONDS, TimeUnit.SECONDS).fencingToken())
                .isEqualTo(300);
    }

    @Test
    void doesNotHandOverToAWaiterWithoutRenewal() throws Exception {
        LockHandle first = waitedFor(REQUEST, 100, 0);
        CompletableFuture<LockHandle> waiting = engine.acquireAsync(REQUEST.withoutRenewal());
        CompletableFuture<ReleaseOutcome> releasing = releasing(first);
        backend.nextRelease().answer().complete(new ReleaseResult.Released(0));
        backend.nextAcquire().answer().complete(new AcquireResult.Granted(300, 0));

        assertThat(releasing.get(Patience.SECONDS, TimeUnit.SECONDS)).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(waiting.get(Patience.SECONDS, TimeUnit.SECONDS).fencingToken())
                .isEqualTo(300);
    }

    @Test
    void aHandedOverHoldIsRenewedAndLostIndependently() throws Exception {
        LockHandle first = waitedFor(REQUEST.leasedFor(Duration.ofMillis(900)), 100, 0);
        CompletableFuture<LockHandle> waiting = engine.acquireAsync(REQUEST.leasedFor(Duration.ofMillis(900)));
        CountDownLatch firstLost = new CountDownLatch(1);
        CountDownLatch secondLost = new CountDownLatch(1);
        first.onLost(firstLost::countDown);
        releasing(first).get(Patience.SECONDS, TimeUnit.SECONDS);
        LockHandle second = waiting.get(Patience.SECONDS, TimeUnit.SECONDS);
        second.onLost(secondLost::countDown);
        Sent<RenewCommand, RenewResult> renewal = backend.nextRenewal();
        assertThat(renewal.command().fencingToken()).isEqualTo(163);
        renewal.answer().complete(new RenewResult.NotHeld());

        assertThat(secondLost.await(Patience.SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(firstLost.getCount()).isEqualTo(1);
        await().untilAsserted(() -> assertThat(losses)
                .singleElement()
                .extracting(LockEvent.Lost::fencingToken)
                .isEqualTo(101L));
    }

    @Test
    void aWaiterTriesAsSoonAsTheHoldOfItsInstanceIsLost() throws Exception {
        LockHandle first = granted(REQUEST, 1);
        CompletableFuture<LockHandle> waiting = engine.acquireAsync(REQUEST);
        assertThat(backend.isQuiet())
                .as("no attempt for a lock that this instance holds")
                .isTrue();
        wallMillis.addAndGet(30_100);
        assertThat(first.isHeld()).isFalse();

        backend.nextAcquire().answer().complete(new AcquireResult.Granted(2, 0));
        assertThat(waiting.get(Patience.SECONDS, TimeUnit.SECONDS).fencingToken())
                .isEqualTo(2);
    }
}
