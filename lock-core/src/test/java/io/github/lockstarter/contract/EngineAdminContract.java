package io.github.lockstarter.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.HeldLock;
import io.github.lockstarter.LockAdmin.Revocation;
import io.github.lockstarter.LockAdmin.StoredLock;
import io.github.lockstarter.LockAdmin.WaitingCaller;
import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockEvent.LossCause;
import io.github.lockstarter.LockEvent.Path;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockHolder;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockNotAcquiredException;
import io.github.lockstarter.ReleaseOutcome;
import io.github.lockstarter.kit.Patience;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** An operator inspects and revokes locks of instances, and holders are notified of revocations. */
public abstract class EngineAdminContract extends EngineContract {

    public EngineAdminContract(Supplier<? extends LockStore> opening) {
        super(opening);
    }

    @Test
    void showsWaitersInTheirOrder() throws Exception {
        LockHandle held = second.locks().acquire(request);
        Future<LockHandle> one =
                elsewhere(() -> first.locks().acquire(request.named("ship").maxWait(Patience.TIME)));
        awaitWaiters(first, 1);
        first.locks().acquireAsync(request.maxWait(Patience.TIME)).thenAccept(LockHandle::release);
        awaitWaiters(first, 2);

        assertThat(first.admin().waiters()).extracting(WaitingCaller::position).containsExactly(1, 2);
        assertThat(first.admin().waiters().get(0)).satisfies(waiter -> {
            assertThat(waiter.key()).isEqualTo(key);
            assertThat(waiter.name()).isEqualTo("ship");
            assertThat(waiter.attempts()).isPositive();
            assertThat(waiter.waitedFor()).isPositive().isLessThan(Patience.TIME);
        });
        assertThat(first.admin().waiters().get(1).owner()).isEqualTo(HeldLock.ASYNC);
        assertThat(first.admin().waiters().get(1).attempts()).isZero();

        held.release();
        resultOf(one).release();
        await().untilAsserted(() -> assertThat(first.admin().waiters()).isEmpty());
    }

    @Test
    void countsTheHandOversOfAHeldLock() throws Exception {
        LockHandle before = first.locks().acquire(request);
        for (int handovers = 0; handovers < 3; handovers++) {
            Future<LockHandle> next = first.locks().acquireAsync(request.maxWait(Patience.TIME));
            awaitWaiters(first, handovers + 1);
            before.release();
            before = resultOf(next);
        }
        List<LockEvent.Acquired> holds = first.events().of(LockEvent.Acquired.class);
        long handedOver = 0;
        for (int i = holds.size() - 1; holds.get(i).path() == Path.HANDED_OVER; i--) {
            handedOver++;
        }

        assertThat(first.locks().heldLocks().find(key).map(HeldLock::handovers)).hasValue(handedOver);
        before.release();
    }

    @Test
    void notifiesTheHolderInAnotherInstanceOfARevocationAtOnce() {
        Needs.of(store).signals();
        // Neither renews nor confirms during the test, so only a message can report the revocation.
        Application patient =
                newApplication(Application.settings(Duration.ofMinutes(5)).withCrashTakeover(Duration.ZERO));
        LockHandle held = patient.locks().acquire(request);
        StoredLock.Held seen = (StoredLock.Held) second.admin().inspect(key).join();
        assertThat(seen.holder().map(LockHolder::instance))
                .hasValue(patient.admin().instance());

        assertThat(second.admin().revoke(key, seen.fencingToken()).join()).isInstanceOf(Revocation.Revoked.class);

        assertRevoked(patient, held);
        assertFree();
    }

    @Test
    void aRevocationEndsTheHoldOfTheSameInstanceBeforeItFreesTheLock() {
        LockHandle held = first.locks().acquire(request);

        Future<Boolean> heldWhenFree = elsewhere(() -> {
            LockHandle next = second.locks().acquire(request.maxWait(Patience.TIME));
            boolean both = held.isHeld();
            next.release();
            return both;
        });
        awaitWaiters(second, 1);

        assertThat(first.admin().revoke(key, held.fencingToken()).join()).isInstanceOf(Revocation.Revoked.class);

        assertThat(heldWhenFree).succeedsWithin(Patience.TIME).isEqualTo(false);
        assertRevoked(first, held);
    }

    @Test
    void aTimedOutWaitNamesTheHolderInTheSameInstance() {
        LockHandle held = first.locks().acquire(request);

        assertThat(first.locks().acquireAsync(request.maxWait(Duration.ofMillis(50))))
                .failsWithin(Patience.TIME)
                .withThrowableThat()
                .withMessageContaining("held by thread '"
                        + Thread.currentThread().getName() + "' of this instance, which has held it for");
        held.release();
    }

    @Test
    void aTimedOutWaitNamesTheHolderInAnotherInstance() {
        LockHandle held = first.locks().acquire(request);
        boolean told = store.hasLeasesPerLock();
        String rest = told ? "its lease ends in [0-9.]+m?s unless it is renewed" : "no end of its lease is known";

        for (Duration wait : List.of(Duration.ZERO, Duration.ofMillis(50))) {
            assertThatThrownBy(() -> second.locks().acquire(request.maxWait(wait)))
                    .isInstanceOf(LockNotAcquiredException.class)
                    .hasMessageContaining(
                            "held by thread '" + Thread.currentThread().getName() + "' of instance "
                                    + first.admin().instance() + ", which has held it since 20")
                    .hasMessageMatching("(?s).*; " + rest + "\\..*");
        }
        held.release();
    }

    @Test
    void aTimedOutWaitSaysThatAnAsynchronousCallerHoldsTheLock() throws Exception {
        LockHandle held = resultOf(first.locks().acquireAsync(request));

        assertThatThrownBy(() -> second.locks().acquire(request.maxWait(Duration.ZERO)))
                .hasMessageContaining("held by an asynchronous caller of instance "
                        + first.admin().instance());
        held.release();
    }

    private static void assertRevoked(Application holder, LockHandle held) {
        await().untilAsserted(() -> assertThat(held.isHeld()).isFalse());
        assertThatThrownBy(held::ensureHeld)
                .isInstanceOf(LockLostException.class)
                .hasMessageContaining("an operator took it away");
        await().untilAsserted(() -> assertThat(holder.events().of(LockEvent.Lost.class))
                .extracting(LockEvent.Lost::cause)
                .containsExactly(LossCause.REVOKED));
        assertThat(held.release()).isEqualTo(ReleaseOutcome.LOST);
    }
}
