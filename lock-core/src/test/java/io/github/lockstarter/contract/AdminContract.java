package io.github.lockstarter.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockAdmin.Revocation;
import io.github.lockstarter.LockAdmin.StoredLock;
import io.github.lockstarter.LockHolder;
import io.github.lockstarter.contract.LockStore.Signals;
import io.github.lockstarter.spi.AcquireCommand.Waiting;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.ReleaseResult;
import io.github.lockstarter.spi.RenewResult;
import io.github.lockstarter.spi.StoreCapabilities;
import io.github.lockstarter.spi.TakeoverCondition;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** An operator inspects and revokes locks. */
public abstract class AdminContract extends BackendContract {

    private static final Instant SINCE = Instant.ofEpochMilli(1_700_000_000_123L);

    public AdminContract(Supplier<? extends LockStore> opening) {
        super(opening);
    }

    @Test
    void showsTheHolderAndTheRemainingLease() {
        SpiHold held = alice.hold(key, LEASE);
        bob.queue(key);

        StoredLock.Held seen = (StoredLock.Held) inspect(key);

        assertThat(seen.holder())
                .isEqualTo(Optional.of(new LockHolder(held.token().instance())));
        assertThat(seen.fencingToken()).isEqualTo(held.fencingToken());
        if (store.signals() == Signals.IN_ORDER) {
            assertThat(seen.waitingInstances()).isEqualTo(1);
        }
        if (store.hasLeasesPerLock()) {
            assertThat(seen.remainingLease())
                    .hasValueSatisfying(left -> assertThat(left).isPositive().isLessThanOrEqualTo(LEASE));
        }
    }

    @Test
    void showsAFreeLockAsFree() {
        assertThat(inspect(key)).isEqualTo(new StoredLock.Free(0, 0));

        SpiHold held = alice.hold(key, LEASE);
        held.release();

        assertThat(inspect(key)).isEqualTo(new StoredLock.Free(store.remembersReleases() ? held.fencingToken() : 0, 0));
    }

    @Test
    void doesNotShowTheIdThatALockTokenNeeds() {
        SpiHold held = alice.hold(key, LEASE);

        assertThat(inspect(key).toString())
                .contains(held.token().instance())
                .doesNotContain(held.token().instanceId());
    }

    @Test
    void inspectingALockDoesNotExtendIt() {
        SpiHold held = alice.hold(key, SHORT_LEASE);
        letPass(SHORT_LEASE);
        await().untilAsserted(() -> assertThat(inspect(key)).isInstanceOf(StoredLock.Free.class));

        assertThat(bob.hold(key, LEASE).fencingToken()).isGreaterThan(held.fencingToken());
    }

    @Test
    void revokesALockAndNotifiesItsHolderAndAWaiter() {
        SpiHold held = alice.hold(key, LEASE);
        bob.queue(key);

        assertThat(revoke(held.fencingToken())).isInstanceOf(Revocation.Revoked.class);

        assertSignalled(bob);
        assertToldOfItsRevocation(alice, held);
        SpiHold next = bob.hold(key, LEASE);
        assertThat(next.fencingToken()).isGreaterThan(held.fencingToken());
        assertThat(held.renew(LEASE)).isInstanceOf(RenewResult.NotHeld.class);
        assertThat(held.release()).isInstanceOf(ReleaseResult.NotHeld.class);
    }

    @Test
    void doesNotRevokeALockThatWasGrantedAfterTheInspection() {
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
    void revokesNothingForAFencingTokenThatWasNeverGranted() {
        assertThat(revoke(0)).isEqualTo(new Revocation.Stale(new StoredLock.Free(0, 0)));
        assertNothingChanged(revoke(17));

        SpiHold held = alice.hold(key, LEASE);
        assertNothingChanged(revoke(held.fencingToken() + 1));
        assertHeldBySomebodyElse(bob);
        assertThat(held.renew(LEASE)).isInstanceOf(RenewResult.Renewed.class);
    }

    private void assertNothingChanged(Revocation revocation) {
        assertThat(revocation)
                .isInstanceOf(store.knowsTheLastFencingToken() ? Revocation.Stale.class : Revocation.Unknown.class);
    }

    @Test
    void showsTheOwnerAndTheTimeThatTheLockTokenNames() {
        LockToken token = new LockToken(
                alice.newToken().instanceId(), 77, "http-1", SINCE.toEpochMilli(), 0, TakeoverCondition.NONE);
        LockHolder holder = new LockHolder(token.instance(), Optional.of("http-1"), Optional.of(SINCE));
        long fencingToken = fencingTokenOf(alice.tryOnce(key, token, LEASE));

        assertThat(bob.tryOnce(key, bob.newToken(), LEASE))
                .isInstanceOfSatisfying(AcquireResult.Contended.class, refused -> assertThat(refused.holder())
                        .hasValue(holder));
        assertThat(bob.tryOrWait(key, bob.newToken(), LEASE, new Waiting(Waiting.NEW, LEASE)))
                .isInstanceOfSatisfying(AcquireResult.Contended.class, refused -> {
                    assertThat(refused.holder()).hasValue(holder);
                    if (store.signals() == Signals.IN_ORDER) {
                        assertThat(refused.position()).isPositive();
                    }
                });
        assertThat(inspect(key)).isInstanceOfSatisfying(StoredLock.Held.class, held -> assertThat(held.holder())
                .hasValue(holder));
        if (store.signals() == Signals.IN_ORDER && store.capabilities().equals(StoreCapabilities.ALL)) {
            await().untilAsserted(() -> assertThat(alice.wanted()).contains(key));
        }

        assertThat(alice.renew(key, token, LEASE, fencingToken)).isInstanceOf(RenewResult.Renewed.class);
        assertThat(alice.release(key, token, fencingToken)).isInstanceOf(ReleaseResult.Released.class);
        assertSignalled(bob);
    }

    @Test
    void shortensALongOwnerNameAndReplacesItsUnreadableCharacters() {
        LockToken token = new LockToken(
                alice.newToken().instanceId(),
                77,
                "x".repeat(100) + ":a|b\n|ö",
                SINCE.toEpochMilli(),
                0,
                TakeoverCondition.NONE);
        fencingTokenOf(alice.tryOnce(key, token, LEASE));

        assertThat(bob.tryOnce(key, bob.newToken(), LEASE))
                .isInstanceOfSatisfying(AcquireResult.Contended.class, refused -> assertThat(
                                refused.holder().flatMap(LockHolder::owner))
                        .hasValue("x".repeat(LockToken.LONGEST_OWNER - 7) + "?a?b???"));
        assertThat(alice.release(key, token, 0)).isInstanceOf(ReleaseResult.Released.class);
    }

    @Test
    void doesNotReleaseALockForATokenWithoutItsOwnerName() {
        LockToken unnamed = alice.newToken();
        LockToken named = new LockToken(
                unnamed.instanceId(), unnamed.number(), "http-1", SINCE.toEpochMilli(), 0, TakeoverCondition.NONE);
        fencingTokenOf(alice.tryOnce(key, named, LEASE));

        assertThat(alice.release(key, unnamed, 0)).isInstanceOf(ReleaseResult.NotHeld.class);

        assertHeldBySomebodyElse(bob);
    }

    @Test
    void revokesALockOnlyOnce() {
        SpiHold held = alice.hold(key, LEASE);

        assertThat(revoke(held.fencingToken())).isInstanceOf(Revocation.Revoked.class);
        assertThat(revoke(held.fencingToken()))
                .isInstanceOfSatisfying(Revocation.Stale.class, stale -> assertThat(stale.found())
                        .isInstanceOf(StoredLock.Free.class));
    }

    @Test
    void revokesALockOnlyByTheLastOfItsFencingTokens() {
        Needs.of(store).manyFencingTokens();
        AcquireResult granted = alice.tryMany(key, alice.newToken(), 64, 0);
        long last = fencingTokenOf(granted) + 63;

        assertThat(inspect(key)).isInstanceOfSatisfying(StoredLock.Held.class, held -> assertThat(held.fencingToken())
                .isEqualTo(last));
        assertThat(revoke(last - 1)).isInstanceOf(Revocation.Stale.class);
        assertThat(revoke(last)).isInstanceOf(Revocation.Revoked.class);
    }

    @Test
    void inspectsAndRevokesLocksWithUnusualKeys() {
        for (String odd : new String[] {"", "{a}", "ö%\n", "x".repeat(5_000)}) {
            SpiHold held = alice.hold(odd + key.substring(0, 4), LEASE);

            assertThat(inspect(held.key())).isInstanceOf(StoredLock.Held.class);
            assertThat(SpiClient.answer(bob.backend().revoke(held.key(), 0, held.fencingToken())))
                    .isInstanceOf(Revocation.Revoked.class);

            assertToldOfItsRevocation(alice, held);
        }
    }

    @Test
    void reportsAHealthyStore() {
        await().untilAsserted(() -> assertThat(SpiClient.answer(alice.backend().state()))
                .satisfies(state -> {
                    assertThat(state.failure()).isEmpty();
                    assertThat(state.recovering()).isZero();
                    assertThat(state.hearsSignals()).isTrue();
                    assertThat(state.target()).isNotBlank();
                }));
    }

    private void assertToldOfItsRevocation(SpiClient holder, SpiHold held) {
        if (store.signals() != Signals.NONE) {
            await().untilAsserted(() -> assertThat(holder.revoked())
                    .contains(held.key() + "@" + held.token().fingerprint()));
        }
    }

    private StoredLock inspect(String lock) {
        return SpiClient.answer(bob.backend().inspect(lock, 0));
    }

    private Revocation revoke(long fencingToken) {
        return SpiClient.answer(bob.backend().revoke(key, 0, fencingToken));
    }
}
