package io.github.lockstarter.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.HeldLock;
import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockEvent.Abandonment;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockMode;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.ReleaseOutcome;
import io.github.lockstarter.contract.RecordingBackend.Verb;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.testing.Effort;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Locks that are never released because their handles are unreachable. */
public abstract class AbandonedHoldContract extends EngineContract {

    private Application holder;

    public AbandonedHoldContract(Supplier<? extends LockStore> opening) {
        super(opening);
    }

    @BeforeEach
    void startTheHolder() {
        holder = newApplication();
    }

    @Test
    void releasesALockWhoseThreadHasEndedAndWhoseHandleIsUnreachable() throws Exception {
        Thread thread = new Thread(() -> holder.locks().acquire(request.named("left")), "leaver");
        thread.start();
        thread.join();

        awaitCollected(() -> assertThat(holder.locks().heldLocks().snapshot()).isEmpty());
        await().untilAsserted(() -> assertThat(holder.events().of(LockEvent.Abandoned.class))
                .singleElement()
                .satisfies(event -> {
                    assertThat(event.name()).isEqualTo("left");
                    assertThat(event.key()).isEqualTo(key);
                    assertThat(event.owner()).isEqualTo("leaver");
                    assertThat(event.abandonment()).isEqualTo(Abandonment.RELEASED);
                }));
        await().untilAsserted(() -> assertThat(holder.events().of(LockEvent.Released.class)) // with the answer
                .extracting(LockEvent.Released::outcome)
                .containsExactly(ReleaseOutcome.RELEASED));
        assertFree();
    }

    @Test
    void releasesANestedLockWhoseThreadHasEnded() throws Exception {
        Thread thread = new Thread(() -> {
            holder.locks().acquire(request);
            holder.locks().acquire(request);
            holder.locks().execute(request, () -> {});
        });
        thread.start();
        thread.join();

        awaitCollected(() -> assertThat(holder.locks().heldLocks().snapshot()).isEmpty());
        assertFree();
    }

    @Test
    void releasesALockOfReadersWhenTheLastOneHasEnded() throws Exception {
        Needs.of(store).readers();
        LockRequest toRead = request.mode(LockMode.READ);
        Thread thread = new Thread(() -> holder.locks().acquire(toRead));
        thread.start();
        thread.join();
        List<LockHandle> others = new ArrayList<>(List.of(holder.locks().acquire(toRead)));
        collectOver(renewals() + 4);
        assertThat(holder.events().of(LockEvent.Abandoned.class)).isEmpty();

        others.remove(0).release();

        awaitCollected(() -> assertThat(holder.locks().heldLocks().snapshot()).isEmpty());
        assertFree();
    }

    @Test
    void keepsALockWhoseHandleOutlivesItsThread() throws Exception {
        AtomicReference<LockHandle> passedOn = new AtomicReference<>();
        Thread thread = new Thread(() -> {
            passedOn.set(holder.locks().acquire(request));
            holder.locks().acquire(request).release();
        });
        thread.start();
        thread.join();

        collectOver(renewals() + 4);

        assertThat(holder.events().of(LockEvent.Abandoned.class)).isEmpty();
        assertHeldByAnother(second);
        assertThat(passedOn.get().release()).isEqualTo(ReleaseOutcome.RELEASED);
    }

    @Test
    @Tag(Effort.FULL)
    void keepsALockWithALossCallbackAfterItsThreadHasEnded() throws Exception {
        AtomicBoolean lost = new AtomicBoolean();
        Thread thread = new Thread(() -> holder.locks().acquire(request).onLost(() -> lost.set(true)));
        thread.start();
        thread.join();

        awaitAbandoned();
        collectOver(renewals() + 4);

        assertThat(holder.events().of(LockEvent.Abandoned.class))
                .extracting(LockEvent.Abandoned::abandonment)
                .containsExactly(Abandonment.KEPT);
        assertHeldByAnother(second);
        assertThat(lost).isFalse();

        holder.close();
        await().untilTrue(lost);
    }

    @Test
    @Tag(Effort.FULL)
    void keepsALockWithoutAReachableHandleWhileItsThreadLivesAndReportsItOnce() throws Exception {
        CountDownLatch acquired = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        Thread thread = new Thread(() -> {
            holder.locks().acquire(request);
            acquired.countDown();
            awaitQuietly(end);
        });
        thread.start();
        acquired.await();

        awaitAbandoned();
        collectOver(renewals() + 4);

        assertThat(holder.events().of(LockEvent.Abandoned.class))
                .extracting(LockEvent.Abandoned::abandonment)
                .containsExactly(Abandonment.KEPT);
        assertHeldByAnother(second);

        end.countDown();
        thread.join();
        awaitCollected(() -> assertThat(holder.locks().heldLocks().snapshot()).isEmpty());
        assertFree();
    }

    @Test
    @Tag(Effort.FULL)
    void keepsAnAsynchronouslyAcquiredLockWithoutAReachableHandleAndReportsItOnce() {
        holder.locks().acquireAsync(request).join();

        awaitAbandoned();
        collectOver(renewals() + 4);

        assertThat(holder.events().of(LockEvent.Abandoned.class))
                .singleElement()
                .satisfies(event -> {
                    assertThat(event.owner()).isEqualTo(HeldLock.ASYNC);
                    assertThat(event.abandonment()).isEqualTo(Abandonment.KEPT);
                });
        assertHeldByAnother(second);
    }

    @Test
    void leavesAnAbandonedLockWithoutRenewalToItsLease() throws Exception {
        Thread thread = new Thread(() -> holder.locks().acquire(request.withoutRenewal()));
        thread.start();
        thread.join();

        awaitCollected(
                () -> assertThat(holder.events().of(LockEvent.Lost.class)).hasSize(1));

        assertThat(holder.events().of(LockEvent.Abandoned.class)).isEmpty();
        assertThat(holder.backend().count(Verb.RELEASE)).isZero();
    }

    private long renewals() {
        return holder.backend().count(Verb.RENEW);
    }

    private void awaitAbandoned() {
        awaitCollected(() -> assertThat(holder.events().of(LockEvent.Abandoned.class))
                .as("abandoned; lost: %s", holder.events().of(LockEvent.Lost.class))
                .isNotEmpty());
    }

    /** The watchdog checks each hold when it renews it. */
    private void awaitCollected(Runnable assertion) {
        await().untilAsserted(() -> {
            System.gc();
            letPassWithRenewals(LEASE.dividedBy(3));
            assertion.run();
        });
    }

    /** Collects garbage until the watchdog has checked all holds since. */
    private void collectOver(long renewals) {
        awaitCollected(() -> assertThat(renewals()).isGreaterThanOrEqualTo(renewals));
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await(Patience.SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
