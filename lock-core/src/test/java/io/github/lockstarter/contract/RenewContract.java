package io.github.lockstarter.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.spi.RenewCommand;
import io.github.lockstarter.spi.RenewResult;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** A renewal extends the lease of the owner only. */
public abstract class RenewContract extends BackendContract {

    public RenewContract(Supplier<? extends LockStore> opening) {
        super(opening);
    }

    @Test
    void extendsTheLease() {
        SpiHold held = alice.hold(key, LEASE);

        assertThat(held.renew(LEASE.multipliedBy(3))).isInstanceOf(RenewResult.Renewed.class);

        assertThat(remainingLease()).isBetween(LEASE.multipliedBy(2), LEASE.multipliedBy(3));
    }

    @Test
    void keepsTheLockPastTheFirstLease() {
        Duration first = Duration.ofMillis(500);
        await().until(() -> alice.hold(key, first).renew(LEASE) instanceof RenewResult.Renewed); // unless too late

        letPass(first.multipliedBy(2));
        assertHeldBySomebodyElse(bob);
    }

    @Test
    void neverShortensALongerLease() {
        SpiHold held = alice.hold(key, LEASE);

        assertThat(held.renew(SHORT_LEASE)).isInstanceOf(RenewResult.Renewed.class);

        assertThat(remainingLease()).isBetween(LEASE.dividedBy(2), LEASE);
    }

    @Test
    void doesNotRenewForAnotherOwner() {
        SpiHold held = alice.hold(key, LEASE);

        assertThat(bob.renew(key, bob.newToken(), LEASE.multipliedBy(2), held.fencingToken()))
                .isInstanceOf(RenewResult.NotHeld.class);

        assertThat(remainingLease()).isLessThanOrEqualTo(LEASE);
    }

    @Test
    void doesNotReviveALeaseThatIsOver() {
        SpiHold late = alice.hold(key, SHORT_LEASE);
        SpiHold present = holdWhenFree(bob);
        present.release();

        assertThat(late.renew(LEASE)).isInstanceOf(RenewResult.NotHeld.class);

        bob.hold(key, LEASE);
    }

    @Test
    void doesNotRenewAReleasedLock() {
        SpiHold released = alice.hold(key, LEASE);
        released.release();

        assertThat(released.renew(LEASE)).isInstanceOf(RenewResult.NotHeld.class);

        bob.hold(key, LEASE);
    }

    @Test
    void doesNotChangeTheNextOwnersLease() {
        SpiHold late = alice.hold(key, SHORT_LEASE);
        holdWhenFree(bob);

        assertThat(late.renew(LEASE.multipliedBy(2))).isInstanceOf(RenewResult.NotHeld.class);

        assertThat(remainingLease()).isLessThanOrEqualTo(LEASE);
    }

    @Test
    void answersManyRenewalsInTheirOrder() {
        SpiHold first = alice.hold(key + 1, LEASE);
        SpiHold second = alice.hold(key + 2, LEASE);
        second.release();
        SpiHold third = alice.hold(key + 3, LEASE);

        List<CompletionStage<RenewResult>> answers = alice.backend()
                .renewLeases(List.of(first, second, third).stream()
                        .map(hold -> new RenewCommand(hold.key(), hold.token(), LEASE, hold.fencingToken(), 0))
                        .toList());

        assertThat(answers)
                .extracting(SpiClient::answer)
                .hasExactlyElementsOfTypes(
                        RenewResult.Renewed.class, RenewResult.NotHeld.class, RenewResult.Renewed.class);
    }

    @Test
    void returnsNoAnswersWhenThereIsNothingToRenew() {
        assertThat(alice.backend().renewLeases(List.of())).isEmpty();
    }

    private Duration remainingLease() {
        return remainingLeaseOf(bob.tryOnce(key, bob.newToken(), LEASE));
    }
}
