package io.github.lockstarter.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockOversight.Revocation;
import io.github.lockstarter.LockOversight.StoredLock;
import io.github.lockstarter.LockOversight.StoredLock.Holder;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.ReleaseResult;
import io.github.lockstarter.spi.RenewResult;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** What an operator sees of a lock, and how one is taken away. */
abstract class OversightContract extends BackendContract {

    OversightContract(Supplier<? extends LockStore> opening) {
        super(opening);
    }

    @Test
    void showsWhoHasALockAndForHowLong() {
        SpiHold held = alice.hold(key, LEASE);
        bob.queue(key);

        StoredLock.Held seen = (StoredLock.Held) inspect(key);

        assertThat(seen.holder()).isEqualTo(Optional.of(new Holder(held.token().instance())));
        assertThat(seen.fencingToken()).isEqualTo(held.fencingToken());
        assertThat(seen.waitingInstances()).isEqualTo(1);
        assertThat(seen.remainingLease())
                .hasValueSatisfying(left -> assertThat(left).isPositive().isLessThanOrEqualTo(LEASE));
    }

    @Test
    void showsThatNobodyHasALock() {
        assertThat(inspect(key)).isEqualTo(new StoredLock.Free(0, 0));

        SpiHold held = alice.hold(key, LEASE);
        held.release();

        assertThat(inspect(key)).isEqualTo(new StoredLock.Free(held.fencingToken(), 0));
    }

    @Test
    void showsNoTokenByWhichALockCouldBeReleased() {
        SpiHold held = alice.hold(key, LEASE);

        assertThat(inspect(key).toString())
                .contains(held.token().instance())
                .doesNotContain(held.token().instanceId());
    }

    @Test
    void lookingChangesNothing() {
        SpiHold held = alice.hold(key, Duration.ofMillis(400));
        await().atMost(SpiClient.PATIENCE)
                .untilAsserted(() -> assertThat(inspect(key)).isInstanceOf(StoredLock.Free.class));

        assertThat(bob.hold(key, LEASE).fencingToken()).isGreaterThan(held.fencingToken());
    }

    @Test
    void takesALockAwayAndTellsItsHolderAndTheWaiter() {
        SpiHold held = alice.hold(key, LEASE);
        bob.queue(key);

        assertThat(revoke(held.fencingToken())).isInstanceOf(Revocation.Revoked.class);

        assertSignalled(bob);
        await().atMost(SpiClient.PATIENCE)
                .untilAsserted(() -> assertThat(alice.revoked()).containsExactly(key + "@" + held.fencingToken()));
        SpiHold next = bob.hold(key, LEASE);
        assertThat(next.fencingToken()).isGreaterThan(held.fencingToken());
        assertThat(held.renew(LEASE)).isInstanceOf(RenewResult.NotHeld.class);
        assertThat(held.release()).isInstanceOf(ReleaseResult.NotHeld.class);
    }

    @Test
    void leavesALockThatWasGrantedSinceTheOperatorLooked() {
        SpiHold seen = alice.hold(key, LEASE);
        seen.release();
        SpiHold present = bob.hold(key, LEASE);

        Revocation revocation = revoke(seen.fencingToken());

        assertThat(revocation).isInstanceOfSatisfying(Revocation.Stale.class, stale -> assertThat(stale.found())
                .isInstanceOfSatisfying(StoredLock.Held.class, found -> assertThat(found.fencingToken())
                        .isEqualTo(present.fencingToken())));
        assertThat(bob.revoked()).isEmpty();
        assertThat(present.renew(LEASE)).isInstanceOf(RenewResult.Renewed.class);
    }

    @Test
    void takesNothingAwayForAFencingTokenThatWasNeverGranted() {
        assertThat(revoke(0)).isInstanceOf(Revocation.Stale.class);
        assertThat(revoke(17)).isEqualTo(new Revocation.Stale(new StoredLock.Free(0, 0)));

        SpiHold held = alice.hold(key, LEASE);
        assertThat(revoke(held.fencingToken() + 1)).isInstanceOf(Revocation.Stale.class);
        assertHeldBySomebodyElse(bob);
    }

    @Test
    void answersARepeatedRevocationAsTheFirst() {
        SpiHold held = alice.hold(key, LEASE);

        assertThat(revoke(held.fencingToken())).isInstanceOf(Revocation.Revoked.class);
        assertThat(revoke(held.fencingToken())).isInstanceOf(Revocation.Revoked.class);
    }

    @Test
    void takesALockAwayByTheLastOfItsFencingTokens() {
        AcquireResult granted = alice.tryMany(key, alice.newToken(), 64, 0);
        long last = fencingTokenOf(granted) + 63;

        assertThat(inspect(key)).isInstanceOfSatisfying(StoredLock.Held.class, held -> assertThat(held.fencingToken())
                .isEqualTo(last));
        assertThat(revoke(last - 1)).isInstanceOf(Revocation.Stale.class);
        assertThat(revoke(last)).isInstanceOf(Revocation.Revoked.class);
    }

    @Test
    void looksAtAndTakesAwayLocksOfAnyName() {
        for (String odd : new String[] {"", "{a}", "ö%\n", "x".repeat(5_000)}) {
            SpiHold held = alice.hold(odd + key.substring(0, 4), LEASE);

            assertThat(inspect(held.key())).isInstanceOf(StoredLock.Held.class);
            assertThat(SpiClient.answer(bob.backend().revoke(held.key(), held.fencingToken())))
                    .isInstanceOf(Revocation.Revoked.class);

            await().atMost(SpiClient.PATIENCE)
                    .untilAsserted(() -> assertThat(alice.revoked()).contains(held.key() + "@" + held.fencingToken()));
        }
    }

    @Test
    void saysThatTheStoreIsWell() {
        assertThat(SpiClient.answer(alice.backend().state())).satisfies(state -> {
            assertThat(state.failure()).isEmpty();
            assertThat(state.recovering()).isZero();
            assertThat(state.hearsSignals()).isTrue();
            assertThat(state.target()).isNotBlank();
        });
    }

    private StoredLock inspect(String lock) {
        return SpiClient.answer(bob.backend().inspect(lock));
    }

    private Revocation revoke(long fencingToken) {
        return SpiClient.answer(bob.backend().revoke(key, fencingToken));
    }
}
