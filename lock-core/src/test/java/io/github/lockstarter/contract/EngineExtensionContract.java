package io.github.lockstarter.contract;

import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockBackendException;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.testing.Effort;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** An extension changes the lease, the renewal and the longest hold of a held lock. */
public abstract class EngineExtensionContract extends EngineContract {

    private final LockRequest renewed = request.leasedFor(LEASE);
    private final LockRequest kept = request.leasedFor(KEPT_LEASE);

    public EngineExtensionContract(Supplier<? extends LockStore> opening) {
        super(opening);
    }

    @Test
    void startsRenewalWhenAnExtensionAsksForIt() {
        try (LockHandle held = first.locks().acquire(kept.withoutRenewal())) {
            held.extend(kept.withRenewal());

            assertStaysHeld(held, KEPT_LEASE.multipliedBy(2));
        }
        assertFree();
    }

    @Test
    @Tag(Effort.FULL)
    void countsTheLongestHoldOfAnExtensionFromTheExtension() {
        LockHandle held = first.locks().acquire(kept.renewedUpTo(KEPT_LEASE));

        held.extend(kept.renewedUpTo(KEPT_LEASE.multipliedBy(3)));

        assertStaysHeld(held, KEPT_LEASE.multipliedBy(2));
        await().atMost(KEPT_LEASE.multipliedBy(2).plus(Patience.TIME)).until(() -> !held.isHeld());
        assertThatThrownBy(held::ensureHeld)
                .isInstanceOf(LockLostException.class)
                .hasMessageContaining("it was held longer than its max-hold");
        held.release();
        assertFree();
    }

    @Test
    void keepsTheTermsThatAnExtensionDoesNotChange() {
        LockHandle held = first.locks().acquire(kept.renewedUpTo(KEPT_LEASE));

        held.extend(LockRequest.of(key));

        await().atMost(KEPT_LEASE.multipliedBy(2).plus(Patience.TIME)).until(() -> !held.isHeld());
        assertThatThrownBy(held::ensureHeld)
                .isInstanceOf(LockLostException.class)
                .hasMessageContaining("it was held longer than its max-hold");
        held.release();
        assertFree();
    }

    @Test
    @Tag(Effort.FULL)
    void keepsTheLongestHoldAfterAnExtensionWithoutRenewal() {
        LockHandle held = first.locks().acquire(kept.renewedUpTo(KEPT_LEASE));

        held.extend(kept.withoutRenewal());
        held.extend(kept.withRenewal());

        await().atMost(KEPT_LEASE.multipliedBy(2).plus(Patience.TIME)).until(() -> !held.isHeld());
        assertThatThrownBy(held::ensureHeld)
                .isInstanceOf(LockLostException.class)
                .hasMessageContaining("it was held longer than its max-hold");
        held.release();
        assertFree();
    }

    @Test
    @Tag(Effort.FULL)
    void extendsEachOfSeveralLocks() {
        LockRequest both = LockRequest.ofAll(List.of(key, key + ":2")).leasedFor(KEPT_LEASE);
        try (LockHandle held = first.locks().acquire(both.withoutRenewal())) {
            held.extend(both.withRenewal());

            assertStaysHeld(held, KEPT_LEASE.multipliedBy(2));
        }
    }

    @Test
    void keepsTheFormerTermsWhenAnExtensionFails() {
        LockHandle held = first.locks().acquire(renewed.withoutRenewal());
        first.backend().failRenewals(1);

        assertThatThrownBy(() -> held.extend(renewed.withRenewal())).isInstanceOf(LockBackendException.class);

        await().atMost(LEASE.plus(Patience.TIME)).until(() -> !held.isHeld());
        assertThatThrownBy(() -> held.extend(renewed)).isInstanceOf(LockLostException.class);
        held.release();
        assertThatThrownBy(() -> held.extend(renewed)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void refusesAnExtensionForOtherKeysOrWithATooLongMinimumTime() {
        try (LockHandle held = first.locks().acquire(renewed)) {
            assertThatThrownBy(() -> held.extend(LockRequest.of("other")))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("other");
            assertThatThrownBy(() -> held.extend(renewed.keptFor(LEASE.plusMillis(1))))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("above the lease");
        }
    }

    /** A caller may use short extensions to check that it still holds the lock. */
    @Test
    void renewsInTimeDespiteFrequentExtensionsBelowTheLease() {
        try (LockHandle held = first.locks().acquire(kept)) {
            await().during(KEPT_LEASE.multipliedBy(2))
                    .atMost(Patience.TIME)
                    .pollInterval(KEPT_LEASE.dividedBy(36))
                    .untilAsserted(() -> held.extend(LockRequest.of(key).leasedFor(LockRequest.MIN_LEASE)));
        }
    }
}
