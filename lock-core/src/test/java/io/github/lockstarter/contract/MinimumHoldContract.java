package io.github.lockstarter.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockAdmin.Revocation;
import io.github.lockstarter.LockAdmin.StoredLock;
import io.github.lockstarter.contract.SpiClient.Timed;
import io.github.lockstarter.spi.AcquireCommand.Waiting;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.AcquireResult.Contended;
import io.github.lockstarter.spi.ReleaseResult;
import io.github.lockstarter.spi.ReleaseResult.Kept;
import io.github.lockstarter.spi.RenewResult;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A released lock stays unavailable until its minimum hold is over. */
public abstract class MinimumHoldContract extends BackendContract {

    /** Not over within a test. */
    private static final Duration LONG = LEASE.dividedBy(2);

    /** Over within a test. */
    private static final Duration SHORT = Duration.ofMillis(400);

    public MinimumHoldContract(Supplier<? extends LockStore> opening) {
        super(opening);
    }

    @BeforeEach
    void needsMinimumHolds() {
        Needs.of(store).minHold();
    }

    @Test
    void refusesAReleasedLockToEveryoneUntilTheMinimumHoldIsOver() {
        Timed held = alice.holdAtLeast(key, LEASE, LONG);

        assertThat(restOf(held.release())).isPositive().isLessThanOrEqualTo(LONG);

        assertKept(alice.tryOnce(key, alice.newToken(), LEASE));
        assertKept(bob.tryOnce(key, bob.newToken(), LEASE));
        assertKept(alice.tryOnce(key, held.hold().token(), LEASE));
    }

    /** No owner has to be notified of the waiters. */
    @Test
    void letsSeveralApplicationsWaitForAKeptLock() {
        SpiClient carol = newClient();
        alice.holdAtLeast(key, LEASE, LONG).release();

        for (SpiClient each : List.of(bob, carol, bob)) {
            assertKept(each.tryOrWait(key, each.newToken(), LEASE, new Waiting(Waiting.NEW, LEASE)));
        }
    }

    @Test
    void grantsTheLockWhenTheMinimumHoldIsOver() {
        long start = System.nanoTime();
        Timed held = alice.holdAtLeast(key, LEASE, SHORT);
        held.release();

        SpiHold next = holdWhenFree(bob);

        if (store.clock().isEmpty()) {
            assertThat(System.nanoTime() - start)
                    .isGreaterThanOrEqualTo(SHORT.minusMillis(5).toNanos());
        }
        assertThat(next.fencingToken()).isGreaterThan(held.hold().fencingToken());
    }

    @Test
    void keepsALockForItsWholeMinimumHold() {
        assumeThat(store.clock()).isPresent();
        alice.holdAtLeast(key, LEASE, LONG).release();
        Duration rest = Duration.ofSeconds(20);

        letPass(LONG.minus(rest));
        assertKept(bob.tryOnce(key, bob.newToken(), LEASE));

        letPass(rest);
        bob.hold(key, LEASE);
    }

    @Test
    void countsTheMinimumHoldFromTheGrant() {
        Timed held = alice.holdAtLeast(key, LEASE, LONG);
        letPass(Duration.ofMillis(300));

        assertThat(restOf(held.release())).isLessThanOrEqualTo(LONG.minusMillis(295));
    }

    @Test
    void aReleaseAfterTheMinimumHoldFreesTheLockAtOnce() {
        Timed held = alice.holdAtLeast(key, LEASE, Duration.ofMillis(100));
        letPass(Duration.ofMillis(150));

        assertThat(held.release()).isInstanceOf(ReleaseResult.Released.class);

        bob.hold(key, LEASE);
    }

    @Test
    void aRepeatedReleaseReturnsTheRestOfTheMinimumHold() {
        Timed held = alice.holdAtLeast(key, LEASE, LONG);
        Duration first = restOf(held.release());

        assertThat(restOf(held.release())).isPositive().isLessThanOrEqualTo(first);
    }

    @Test
    void aReleaseThatIsRepeatedAfterTheMinimumHoldHasNoEffect() {
        Timed held = alice.holdAtLeast(key, LEASE, SHORT);
        held.release();
        letPass(SHORT);

        await().untilAsserted(() -> assertReleasedAgain(held.release()));
    }

    @Test
    void aReleaseWithoutAMinimumHoldFreesTheLockAtOnce() {
        Timed unknown = alice.holdAtLeast(key, LEASE, LONG);

        assertThat(alice.release(key, unknown.hold().token(), 0)).isInstanceOf(ReleaseResult.Released.class);

        bob.hold(key, LEASE);
    }

    @Test
    void aWithdrawalFreesTheLockAtOnce() {
        Timed unknown = alice.holdAtLeast(key, LEASE, LONG);

        alice.withdraw(key, unknown.hold().token());

        bob.hold(key, LEASE);
    }

    @Test
    void aReleaseOfALostLockKeepsTheNextOwnersLock() {
        Timed late = alice.holdAtLeast(key, SHORT_LEASE, SHORT_LEASE);
        SpiHold present = holdWhenFree(bob);

        assertThat(late.release()).isInstanceOf(ReleaseResult.NotHeld.class);

        assertThat(present.renew(LEASE)).isInstanceOf(RenewResult.Renewed.class);
    }

    @Test
    void keepsALockWhoseMinimumHoldIsSetAfterTheGrant() {
        SpiHold nested = alice.hold(key, LEASE);

        Duration rest = restOf(new Timed(nested, LONG).release());

        assertThat(rest).isPositive().isLessThanOrEqualTo(LONG);
        assertKept(bob.tryOnce(key, bob.newToken(), LEASE));
    }

    @Test
    void aKeptLockCannotBeRenewedOrFreed() {
        Timed held = alice.holdAtLeast(key, LEASE, LONG);
        held.release();

        assertThat(held.hold().renew(LEASE)).isInstanceOf(RenewResult.NotHeld.class);
        alice.withdraw(key, held.hold().token());
        alice.release(key, alice.newToken(), 0);

        assertKept(bob.tryOnce(key, bob.newToken(), LEASE));
    }

    @Test
    void tellsTheLongestWaitingInstanceForHowLongTheLockIsKept() {
        Needs.of(store).signalsInOrder();
        Timed held = alice.holdAtLeast(key, LEASE, LONG);
        long position = bob.queue(key);

        assertThat(((Kept) held.release()).signalled()).isEqualTo(1);

        assertSignalled(bob);
        Contended answer = (Contended) bob.tryOrWait(key, bob.newToken(), LEASE, new Waiting(position, LEASE));
        assertKept(answer);
        assertThat(answer.position()).isEqualTo(position);
    }

    /** The end of a minimum hold sends no signal, so waiters need its time. */
    @Test
    void signalsTheNextInstanceIfTheSignalledOneGivesUpWhileTheLockIsKept() {
        Needs.of(store).signalsInOrder();
        Timed held = alice.holdAtLeast(key, LEASE, LONG);
        SpiClient carol = newClient();
        bob.queue(key);
        carol.queue(key);
        held.release();
        assertSignalled(bob);

        bob.withdraw(key, bob.newToken());

        assertSignalled(carol);
    }

    @Test
    void queuesAReleasingInstanceThatStillWaitsEvenIfNoneIsSignalled() {
        Needs.of(store).signalsInOrder();
        alice.holdAtLeast(key, LEASE, LONG).releaseAndQueue();

        assertThat(kept(key).waitingInstances()).isEqualTo(1);
    }

    @Test
    void showsAKeptLockWithItsLastFencingToken() {
        Timed held = alice.holdAtLeast(key, LEASE, LONG);
        held.release();

        StoredLock.Kept seen = kept(key);

        assertThat(seen.fencingToken()).isEqualTo(held.hold().fencingToken());
        assertThat(seen.remaining()).isPositive().isLessThanOrEqualTo(LONG);
        assertThat(seen.waitingInstances()).isZero();
    }

    @Test
    void aRevocationFreesAKeptLockAndSignalsTheWaiter() {
        Timed held = alice.holdAtLeast(key, LEASE, LONG);
        held.release();
        bob.queue(key);

        assertThat(SpiClient.answer(alice.backend().revoke(key, 0, held.hold().fencingToken())))
                .isInstanceOf(Revocation.Revoked.class);

        assertSignalled(bob);
        bob.hold(key, LEASE);
        assertThat(alice.revoked()).isEmpty();
    }

    @Test
    void aRevocationByAnEarlierFencingTokenLeavesTheLockKept() {
        SpiHold earlier = alice.hold(key, LEASE);
        earlier.release();
        alice.holdAtLeast(key, LEASE, LONG).release();

        assertThat(SpiClient.answer(bob.backend().revoke(key, 0, earlier.fencingToken())))
                .isInstanceOfSatisfying(Revocation.Stale.class, stale -> assertThat(stale.found())
                        .isInstanceOf(StoredLock.Kept.class));

        assertKept(bob.tryOnce(key, bob.newToken(), LEASE));
    }

    private StoredLock.Kept kept(String key) {
        StoredLock seen = SpiClient.answer(bob.backend().inspect(key, 0));
        assertThat(seen).isInstanceOf(StoredLock.Kept.class);
        return (StoredLock.Kept) seen;
    }

    private static Duration restOf(ReleaseResult result) {
        assertThat(result).isInstanceOf(Kept.class);
        return ((Kept) result).rest();
    }

    private static void assertKept(AcquireResult answer) {
        assertThat(answer).isInstanceOfSatisfying(Contended.class, contended -> {
            assertThat(contended.kept()).isTrue();
            assertThat(contended.holder()).isEmpty();
            assertThat(contended.remainingLease())
                    .hasValueSatisfying(left -> assertThat(left).isPositive().isLessThanOrEqualTo(LONG));
        });
    }
}
