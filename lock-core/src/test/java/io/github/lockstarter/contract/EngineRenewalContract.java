package io.github.lockstarter.contract;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockBackendException;
import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.ReleaseOutcome;
import io.github.lockstarter.contract.RecordingBackend.Sent;
import io.github.lockstarter.contract.RecordingBackend.Verb;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** The engine renews a lock until its release, its maximum hold or its loss. */
public abstract class EngineRenewalContract extends EngineContract {

    private final LockRequest renewed = request.lease(LEASE);

    public EngineRenewalContract(Supplier<? extends LockStore> opening) {
        super(opening);
    }

    @Test
    void keepsARenewedLockForThreeLeases() throws Exception {
        try (LockHandle held = first.locks().acquire(renewed)) {
            assertStaysHeld(held, LEASE.multipliedBy(3));
            assertThat(first.backend().count(Verb.RENEW)).isGreaterThanOrEqualTo(6);
        }
        assertThat(first.events().of(LockEvent.Lost.class)).isEmpty();
    }

    @Test
    void reportsALossOnceWhenALeaseWithoutRenewalEnds() throws Exception {
        AtomicInteger losses = new AtomicInteger();
        LockHandle held = first.locks().acquire(renewed.withoutRenewal());
        held.onLost(losses::incrementAndGet);

        letPass(LEASE);
        await().until(() -> losses.get() > 0);

        letPassWithRenewals(LEASE);
        assertThat(losses).hasValue(1);
        assertThat(held.isHeld()).isFalse();
        awaitLoss(first, LockEvent.LossCause.LEASE_EXPIRED);
        assertThat(held.release()).isEqualTo(ReleaseOutcome.LOST);
    }

    @Test
    void keepsTheLockWhenOneRenewalFails() throws Exception {
        try (LockHandle held = first.locks().acquire(renewed)) {
            first.backend().failRenewals(1);

            assertStaysHeld(held, LEASE.multipliedBy(2));

            assertThat(first.events().of(LockEvent.Renewed.class))
                    .extracting(LockEvent.Renewed::outcome)
                    .contains(LockEvent.RenewalOutcome.FAILED, LockEvent.RenewalOutcome.RENEWED);
        }
    }

    @Test
    void losesTheLockWhenEveryRenewalFails() throws Exception {
        AtomicInteger losses = new AtomicInteger();
        LockHandle held = first.locks().acquire(renewed);
        held.onLost(losses::incrementAndGet);
        first.backend().failRenewals(Integer.MAX_VALUE);

        letPassWithRenewals(LEASE);
        await().until(() -> losses.get() > 0);
        first.backend().failRenewals(0);

        assertNoMoreRenewals();
        assertThat(held.isHeld()).isFalse();
        assertThat(losses).hasValue(1);
        assertThat(held.release()).isEqualTo(ReleaseOutcome.LOST);
        assertFree();
    }

    @Test
    void sendsNoRenewalAfterTheRelease() throws Exception {
        for (int i = 0; i < 20; i++) {
            LockHandle held = first.locks().acquire(renewed);
            letPass(LEASE.dividedBy(3));
            await().pollInterval(ofMillis(1)).until(() -> renewals() > 0 || !held.isHeld());
            held.release();
        }

        letPassWithRenewals(LEASE);
        assertThat(renewalsAfterTheirRelease(first.backend().sent())).isEmpty();
    }

    @Test
    void theCheckFindsAPlantedRenewalAfterTheRelease() {
        List<Sent> planted = List.of(
                new Sent(Verb.RENEW, key, "t1"), new Sent(Verb.RELEASE, key, "t1"), new Sent(Verb.RENEW, key, "t1"));

        assertThat(renewalsAfterTheirRelease(planted)).hasSize(1);
    }

    @Test
    void stopsRenewingWhenTheMaximumHoldOfTheRequestIsReached() throws Exception {
        Duration maxHold = LEASE.multipliedBy(2);
        LockHandle held = first.locks().acquire(renewed.maxHold(maxHold));

        letPassWithRenewals(LEASE.multipliedBy(3));
        await().until(() -> !held.isHeld());

        assertThatThrownBy(held::ensureHeld)
                .isInstanceOf(LockLostException.class)
                .hasMessageContaining("it was held longer than its max-hold of 120s");
        awaitLoss(first, LockEvent.LossCause.MAX_HOLD);
        assertThat(first.backend().count(Verb.RENEW)).isBetween(3L, 7L);
        held.release();
        assertFree();
    }

    @Test
    void refusesAMaximumHoldBelowTheLease() {
        assertThatThrownBy(() -> first.locks().acquire(renewed.maxHold(LEASE.minusMillis(1))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("maxHold of lock '" + key
                        + "' is 59.999s, below the lease of the lock (60s), for which it is held anyway. Raise "
                        + "the maximum hold, or lower the lease");
        assertThat(first.backend().count(Verb.ACQUIRE)).isZero();
        first.locks().acquire(renewed.maxHold(LEASE)).close();
    }

    @Test
    void reportsTheLossAndFreesTheLockWhenTheApplicationCloses() throws Exception {
        AtomicInteger losses = new AtomicInteger();
        LockHandle held = first.locks().acquire(renewed);
        held.onLost(losses::incrementAndGet);

        first.close();

        assertThat(held.isHeld()).isFalse();
        await().untilAsserted(() -> assertThat(losses).hasValue(1));
        assertFree();
        assertNoMoreRenewals();
    }

    @Test
    void acquireThrowsOnceClosed() {
        first.close();

        assertThatThrownBy(() -> first.locks().acquire(request))
                .isInstanceOf(LockBackendException.class)
                .hasMessageContaining(key);
    }

    @Test
    void sendsNoAdditionalRenewalsForShortHolds() {
        List<LockHandle> kept = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            kept.add(first.locks().acquire(LockRequest.of(key + i).lease(ofSeconds(30))));
        }
        for (int i = 0; i < 200; i++) {
            first.locks()
                    .acquire(LockRequest.of(key + ":brief").lease(ofSeconds(30)))
                    .close();
        }

        assertThat(first.backend().count(Verb.RENEW)).isLessThanOrEqualTo(20);
        kept.forEach(LockHandle::close);
    }

    private static void awaitLoss(Application application, LockEvent.LossCause cause) {
        await().untilAsserted(() -> assertThat(application.events().of(LockEvent.Lost.class))
                .singleElement()
                .extracting(LockEvent.Lost::cause)
                .isEqualTo(cause));
    }

    private long renewals() {
        List<Sent> sent = first.backend().sent();
        String token = sent.stream()
                .filter(one -> one.verb() == Verb.ACQUIRE)
                .reduce((a, b) -> b)
                .orElseThrow()
                .token();
        return sent.stream()
                .filter(one -> one.verb() == Verb.RENEW && one.token().equals(token))
                .count();
    }

    private void assertNoMoreRenewals() throws Exception {
        long before = first.backend().count(Verb.RENEW);
        letPassWithRenewals(LEASE.multipliedBy(2));
        assertThat(first.backend().count(Verb.RENEW)).isEqualTo(before);
    }

    private static List<Sent> renewalsAfterTheirRelease(List<Sent> commands) {
        Set<String> released = new HashSet<>();
        List<Sent> late = new ArrayList<>();
        for (Sent command : commands) {
            if (command.verb() == Verb.RELEASE) {
                released.add(command.token());
            } else if (command.verb() == Verb.RENEW && released.contains(command.token())) {
                late.add(command);
            }
        }
        return late;
    }
}
