package io.github.lockstarter.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireCommand.Waiting;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.LockToken;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** An attempt acquires a free lock and is refused a held one. */
public abstract class AcquireContract extends BackendContract {

    public AcquireContract(Supplier<? extends LockStore> opening) {
        super(opening);
    }

    @Test
    void grantsAFreeLock() {
        assertThat(alice.tryOnce(key, alice.newToken(), LEASE)).isInstanceOf(AcquireResult.Granted.class);
    }

    @Test
    void refusesAHeldLockAndReportsItsRemainingLease() {
        alice.hold(key, LEASE);

        AcquireResult refused = bob.tryOnce(key, bob.newToken(), LEASE);

        assertThat(remainingLeaseOf(refused)).isPositive().isLessThanOrEqualTo(LEASE);
        assertThat(((AcquireResult.Contended) refused).position()).isEqualTo(Waiting.NEW);
    }

    @Test
    void answersARepeatedAttemptWithTheSameGrant() {
        LockToken token = alice.newToken();
        AcquireResult first = alice.tryOnce(key, token, LEASE);

        AcquireResult second = alice.tryOnce(key, token, LEASE);

        assertGrantedAgain(first, second);
        assertHeldBySomebodyElse(bob);
    }

    @Test
    void oneReleaseFreesALockWhoseAttemptWasRepeated() {
        LockToken token = alice.newToken();
        alice.tryOnce(key, token, LEASE);
        long fencingToken = fencingTokenOf(alice.tryOnce(key, token, LEASE));

        alice.release(key, token, fencingToken);

        assertThat(bob.tryOnce(key, bob.newToken(), LEASE)).isInstanceOf(AcquireResult.Granted.class);
    }

    @Test
    void excludesAnotherAttemptOfTheSameApplication() {
        alice.hold(key, LEASE);

        assertHeldBySomebodyElse(alice);
    }

    @Test
    void grantsALockWhoseLeaseIsOver() {
        alice.hold(key, SHORT_LEASE);

        holdWhenFree(bob);

        assertHeldBySomebodyElse(alice);
    }

    @Test
    void keepsTheOwnersLeaseWhenOthersTryToAcquire() {
        alice.hold(key, LEASE);
        bob.tryOnce(key, bob.newToken(), Duration.ofMillis(1));
        bob.tryOnce(key, bob.newToken(), Duration.ofDays(1));

        assertThat(remainingLeaseOf(bob.tryOnce(key, bob.newToken(), LEASE))).isBetween(LEASE.dividedBy(2), LEASE);
    }

    @Test
    void grantsTheLockToOnlyOneOfManyConcurrentAttempts() {
        List<SpiClient> crowd = List.of(alice, bob, newClient(), newClient());
        List<CompletionStage<AcquireResult>> attempts = IntStream.range(0, 100)
                .mapToObj(i -> crowd.get(i % crowd.size()))
                .map(client -> client.backend()
                        .attemptAcquire(new AcquireCommand(key, client.newToken(), LEASE, 0, 1, Optional.empty())))
                .toList();

        assertThat(attempts.stream().map(SpiClient::answer))
                .filteredOn(AcquireResult.Granted.class::isInstance)
                .hasSizeBetween(store.grantsToOneOfMany() ? 1 : 0, 1);
    }

    @Test
    void grantsTheShortestAndTheLongestLease() {
        SpiHold longest = alice.hold(key, Duration.ofDays(365));
        assertThat(remainingLeaseOf(bob.tryOnce(key, bob.newToken(), LEASE)))
                .isBetween(Duration.ofDays(364), Duration.ofDays(365));
        longest.release();

        alice.hold(key, Duration.ofMillis(1));
        holdWhenFree(bob);
    }

    @Test
    void tellsTheOwnerHowManyOtherApplicationsWait() {
        Needs.of(store).signalsInOrder();
        int fencingTokens = Math.min(2, store.capabilities().fencingTokens());
        LockToken token = alice.newToken();
        assertThat(othersWaitingAt(alice.tryMany(key, token, fencingTokens, 0))).isZero();
        bob.queue(key);
        newClient().queue(key);

        assertThat(othersWaitingAt(alice.tryMany(key, token, fencingTokens, 0))).isEqualTo(2);
    }

    @Test
    void doesNotCountTheOwnersOwnApplicationAsWaiting() {
        Needs.of(store).signalsInOrder();
        Needs.of(store).newcomersAreLetIn();
        SpiClient carol = newClient();
        Waiting waiting = new Waiting(queueBehindAShortLease(), LEASE);
        SpiHold held = holdWhenFree(bob);

        carol.queue(key);

        assertThat(othersWaitingAt(bob.tryMany(key, held.token(), 2, 0))).isEqualTo(1);
        assertThat(othersWaitingAt(bob.tryOrWait(key, held.token(), LEASE, waiting)))
                .isEqualTo(1);
    }
}
