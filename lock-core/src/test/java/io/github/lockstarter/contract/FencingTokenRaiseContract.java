package io.github.lockstarter.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.ReleaseResult;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** An owner raises its fencing tokens, which a store needs as a node of a quorum. */
public abstract class FencingTokenRaiseContract extends BackendContract {

    private static final long FAR = 1_000_000_000_000L;

    public FencingTokenRaiseContract(Supplier<? extends LockStore> opening) {
        super(opening);
    }

    @Test
    void raisesTheOwnersTokenToTheNumberAfterTheFloor() {
        SpiHold held = alice.hold(key, LEASE);
        long floor = held.fencingToken() + FAR;

        AcquireResult raised = alice.tryMany(key, held.token(), 1, floor);

        assertThat(fencingTokenOf(raised)).isEqualTo(floor + 1);
        assertHeldBySomebodyElse(bob);
    }

    @Test
    void raisesToTheNextNumberEvenWhenTheClockIsAhead() {
        LockToken token = alice.newToken();
        long first = fencingTokenOf(alice.tryMany(key, token, 64, 0));

        assertThat(fencingTokenOf(alice.tryMany(key, token, 64, first))).isEqualTo(first + 1);
    }

    @Test
    void tokensExceedAllTokensOfARaisedGrant() {
        LockToken token = alice.newToken();
        long floor = fencingTokenOf(alice.tryMany(key, token, 64, 0)) + FAR;

        assertThat(fencingTokenOf(alice.tryMany(key, token, 64, floor))).isEqualTo(floor + 1);
        alice.release(key, token, floor + 64);

        assertThat(bob.hold(key, LEASE).fencingToken()).isGreaterThan(floor + 64);
    }

    @Test
    void aRepeatedRaiseReturnsTheSameToken() {
        SpiHold held = alice.hold(key, LEASE);
        long floor = held.fencingToken() + FAR;
        AcquireResult raised = alice.tryMany(key, held.token(), 1, floor);

        assertThat(alice.tryMany(key, held.token(), 1, floor)).isEqualTo(raised);
        assertThat(alice.tryMany(key, held.token(), 1, 0)).isEqualTo(raised);
    }

    @Test
    void keepsTokensThatAreAboveTheFloor() {
        LockToken token = alice.newToken();
        AcquireResult granted = alice.tryMany(key, token, 8, 0);

        assertThat(alice.tryMany(key, token, 8, fencingTokenOf(granted) - 1)).isEqualTo(granted);
    }

    @Test
    void aRefusedAttemptRaisesNoToken() {
        SpiHold held = alice.hold(key, LEASE);
        long floor = held.fencingToken() + FAR;

        assertThat(bob.tryMany(key, bob.newToken(), 1, floor)).isInstanceOf(AcquireResult.Contended.class);
        held.release();

        assertThat(alice.hold(key, LEASE).fencingToken()).isLessThan(floor);
    }

    @Test
    void raisingTheTokenKeepsTheLease() {
        SpiHold held = alice.hold(key, LEASE.dividedBy(4));

        alice.tryMany(key, held.token(), 1, held.fencingToken());

        AcquireResult refused = bob.tryOnce(key, bob.newToken(), LEASE);
        assertThat(remainingLeaseOf(refused)).isPositive().isLessThanOrEqualTo(LEASE.dividedBy(4));
    }

    @Test
    void releasesALockWhoseTokenWasRaised() {
        SpiHold held = alice.hold(key, LEASE);
        long raised = fencingTokenOf(alice.tryMany(key, held.token(), 1, held.fencingToken() + FAR));

        assertThat(alice.release(key, held.token(), raised)).isInstanceOf(ReleaseResult.Released.class);
        assertReleasedAgain(alice.release(key, held.token(), raised));
        assertThat(alice.release(key, held.token(), raised - 1)).isInstanceOf(ReleaseResult.NotHeld.class);
    }
}
