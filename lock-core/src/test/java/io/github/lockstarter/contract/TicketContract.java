package io.github.lockstarter.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.AcquireResult.Contended;
import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.ReleaseResult;
import io.github.lockstarter.spi.RenewResult;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** An attempt that replaces the token of the owner, by which a lock passes to a ticket and from it. */
public abstract class TicketContract extends BackendContract {

    public TicketContract(Supplier<? extends LockStore> opening) {
        super(opening);
    }

    @BeforeEach
    void needsTickets() {
        Needs.of(store).tickets();
    }

    @Test
    void passesTheLockToTheOtherTokenWithAGreaterFencingToken() {
        SpiHold held = alice.hold(key, LEASE);
        SpiHold ticket = passed(held, alice, LEASE);
        SpiHold present = passed(ticket, bob, LEASE);

        assertThat(ticket.fencingToken()).isGreaterThan(held.fencingToken());
        assertThat(present.fencingToken()).isGreaterThan(ticket.fencingToken());
        assertThat(present.renew(LEASE)).isInstanceOf(RenewResult.Renewed.class);
        assertHeldBySomebodyElse(alice);
        assertThat(present.release()).isInstanceOf(ReleaseResult.Released.class);
        assertThat(alice.hold(key, LEASE).fencingToken()).isGreaterThan(present.fencingToken());
    }

    @Test
    void theReplacedTokenHasNoEffectOnTheLock() {
        SpiHold held = alice.hold(key, LEASE);
        SpiHold present = passed(held, bob, LEASE);

        assertThat(held.renew(LEASE)).isInstanceOf(RenewResult.NotHeld.class);
        assertThat(held.release()).isInstanceOf(ReleaseResult.NotHeld.class);
        alice.withdraw(key, held.token());

        assertThat(present.renew(LEASE)).isInstanceOf(RenewResult.Renewed.class);
        assertHeldBySomebodyElse(alice);
    }

    @Test
    void aRepeatedAttemptGetsTheSameGrant() {
        SpiHold held = alice.hold(key, LEASE);
        LockToken token = bob.newToken();

        AcquireResult first = replace(bob, held.token(), token, LEASE);

        assertGrantedAgain(first, replace(bob, held.token(), token, LEASE));
    }

    @Test
    void aSecondAttemptIsRefusedAndLeavesTheLockToTheFirst() {
        SpiHold held = alice.hold(key, LEASE);
        SpiHold present = passed(held, bob, LEASE);

        AcquireResult refused = replace(alice, held.token(), alice.newToken(), LEASE);

        assertThat(remainingLeaseOf(refused)).isPositive();
        assertThat(present.renew(LEASE)).isInstanceOf(RenewResult.Renewed.class);
    }

    @Test
    void aFreeLockIsNotGranted() {
        SpiHold held = alice.hold(key, LEASE);
        held.release();

        AcquireResult refused = replace(bob, held.token(), bob.newToken(), LEASE);

        assertThat(remainingLeaseOf(refused)).isZero();
        assertThat(((Contended) refused).kept()).isFalse();
        alice.hold(key, LEASE);
    }

    @Test
    void aLockWhoseLeaseIsOverIsNotGranted() {
        SpiHold late = alice.hold(key, SHORT_LEASE);
        SpiHold present = holdWhenFree(bob);

        assertThat(replace(alice, late.token(), alice.newToken(), LEASE)).isInstanceOf(Contended.class);

        assertThat(present.renew(LEASE)).isInstanceOf(RenewResult.Renewed.class);
    }

    @Test
    void theNewLeaseCounts() {
        SpiHold held = alice.hold(key, LEASE);
        SpiHold ticket = passed(held, alice, SHORT_LEASE);

        SpiHold next = holdWhenFree(bob);

        assertThat(next.fencingToken()).isGreaterThan(ticket.fencingToken());
    }

    @Test
    void aKeptLockIsNotGranted() {
        Needs.of(store).minHold();
        SpiClient.Timed held = alice.holdAtLeast(key, LEASE, LEASE);
        held.release();

        AcquireResult refused = replace(bob, held.hold().token(), bob.newToken(), LEASE);

        assertThat(refused).isInstanceOfSatisfying(Contended.class, kept -> assertThat(kept.kept())
                .isTrue());
    }

    /** The waiting instance is signalled by the release of the last owner. */
    @Test
    void aWaitingInstanceGetsTheLockAfterTheLastOwner() {
        SpiHold held = alice.hold(key, LEASE);
        bob.queue(key);
        SpiHold ticket = passed(held, alice, LEASE);
        SpiHold present = passed(ticket, newClient(), LEASE);

        present.release();

        assertSignalled(bob);
        bob.hold(key, LEASE);
    }

    private SpiHold passed(SpiHold from, SpiClient to, Duration lease) {
        LockToken token = to.newToken();
        return new SpiHold(to, key, token, fencingTokenOf(replace(to, from.token(), token, lease)));
    }

    private AcquireResult replace(SpiClient client, LockToken replaced, LockToken token, Duration lease) {
        return SpiClient.answer(client.backend()
                .attemptAcquire(new AcquireCommand(
                        key, token, lease, 0, 1, Optional.empty(), Duration.ZERO, 1, Optional.of(replaced.value()))));
    }
}
