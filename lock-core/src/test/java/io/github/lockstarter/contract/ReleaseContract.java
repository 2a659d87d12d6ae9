package io.github.lockstarter.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.ReleaseCommand;
import io.github.lockstarter.spi.ReleaseResult;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Only the owner frees a lock, and a repeated release has no effect. */
public abstract class ReleaseContract extends BackendContract {

    public ReleaseContract(Supplier<? extends LockStore> opening) {
        super(opening);
    }

    @Test
    void freesTheLock() {
        assertThat(alice.hold(key, LEASE).release()).isInstanceOf(ReleaseResult.Released.class);

        bob.hold(key, LEASE);
    }

    @Test
    void keepsTheLockWhenAnotherOwnerReleases() {
        SpiHold held = alice.hold(key, LEASE);

        assertThat(bob.release(key, bob.newToken(), held.fencingToken())).isInstanceOf(ReleaseResult.NotHeld.class);

        assertHeldBySomebodyElse(bob);
    }

    @Test
    void keepsTheLockWhenAnotherAttemptOfTheSameApplicationIsReleased() {
        SpiHold held = alice.hold(key, LEASE);

        alice.release(key, alice.newToken(), 0);

        assertHeldBySomebodyElse(bob);
        assertThat(held.release()).isInstanceOf(ReleaseResult.Released.class);
    }

    @Test
    void aLateReleaseReportsNotHeldWhenAnotherOwnerHasTheLock() {
        SpiHold late = alice.hold(key, SHORT_LEASE);
        SpiHold present = holdWhenFree(bob);

        assertThat(late.release()).isInstanceOf(ReleaseResult.NotHeld.class);

        assertHeldBySomebodyElse(alice);
        assertThat(present.release()).isInstanceOf(ReleaseResult.Released.class);
    }

    @Test
    void aLateReleaseReportsNotHeldWhenAnotherOwnerHadTheLockInBetween() {
        SpiHold late = alice.hold(key, SHORT_LEASE);
        holdWhenFree(bob).release();

        assertThat(late.release()).isInstanceOf(ReleaseResult.NotHeld.class);
    }

    @Test
    void aRepeatedReleaseHasNoEffect() {
        SpiHold held = alice.hold(key, LEASE);
        held.release();

        assertReleasedAgain(held.release());
        bob.hold(key, LEASE);
    }

    @Test
    void aRepeatedReleaseKeepsTheNextOwnersLock() {
        SpiHold held = alice.hold(key, LEASE);
        held.release();
        bob.hold(key, LEASE);

        assertThat(held.release()).isInstanceOf(ReleaseResult.NotHeld.class);

        assertHeldBySomebodyElse(alice);
    }

    @Test
    void releasingAnAttemptThatWasNeverGrantedHasNoEffect() {
        assertThat(alice.release(key, alice.newToken(), 0)).isNotInstanceOf(ReleaseResult.Unknown.class);

        bob.hold(key, LEASE);
        assertThat(alice.release(key, alice.newToken(), 0)).isInstanceOf(ReleaseResult.NotHeld.class);
        assertHeldBySomebodyElse(alice);
    }

    @Test
    void withdrawingAGrantedAttemptFreesTheLock() {
        SpiHold held = alice.hold(key, LEASE);

        assertThat(alice.withdraw(key, held.token())).isInstanceOf(ReleaseResult.Released.class);

        bob.hold(key, LEASE);
    }

    @Test
    void keepsTheLockWhenAnotherAttemptIsWithdrawn() {
        alice.hold(key, LEASE);

        assertThat(bob.withdraw(key, bob.newToken())).isInstanceOf(ReleaseResult.Released.class);
        assertThat(alice.withdraw(key, alice.newToken())).isInstanceOf(ReleaseResult.Released.class);

        assertHeldBySomebodyElse(bob);
    }

    @Test
    void aReleaseTakesEffectBeforeALaterAttempt() {
        alice.hold(key, LEASE).release(); // the first command of a kind may be sent twice, to load its script
        for (int i = 0; i < 50; i++) {
            SpiHold held = alice.hold(key, LEASE);
            CompletionStage<ReleaseResult> unanswered =
                    alice.backend().releaseToken(new ReleaseCommand(key, held.token(), held.fencingToken()));
            SpiHold next = alice.hold(key, LEASE);
            assertThat(SpiClient.answer(unanswered)).isInstanceOf(ReleaseResult.Released.class);
            next.release();
        }
    }

    @Test
    void aRepeatedReleaseOfManyFencingTokensHasNoEffect() {
        Needs.of(store).manyFencingTokens();
        LockToken token = alice.newToken();
        long last = fencingTokenOf(alice.tryMany(key, token, 64, 0)) + 63;
        alice.release(key, token, last);

        assertReleasedAgain(alice.release(key, token, last));
        bob.hold(key, LEASE).release();
        assertThat(alice.release(key, token, last)).isInstanceOf(ReleaseResult.NotHeld.class);
    }

    @Test
    void reportsWhetherAReleaseSignalledAnApplication() {
        Needs.of(store).signalsInOrder();
        Needs.of(store).newcomersAreLetIn();
        SpiHold held = alice.hold(key, LEASE);
        bob.queue(key);

        assertThat(held.release()).isEqualTo(new ReleaseResult.Released(1));
        assertReleasedAgain(held.release());
        bob.hold(key, LEASE).release();
        assertThat(alice.hold(key, LEASE).release()).isEqualTo(new ReleaseResult.Released(0));
    }

    @Test
    void keepsTheLockWhenAnotherOwnerReleasesAndStillWaits() {
        alice.hold(key, LEASE);
        SpiHold stranger = new SpiHold(bob, key, bob.newToken(), 0);

        assertThat(bob.releaseAndQueue(stranger)).isInstanceOf(ReleaseResult.NotHeld.class);

        assertHeldBySomebodyElse(bob);
    }
}
