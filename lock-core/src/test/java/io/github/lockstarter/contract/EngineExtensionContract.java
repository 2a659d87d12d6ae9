package io.github.lockstarter.contract;

import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockBackendException;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.testing.Effort;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** An extension changes the lease, the renewal and the maximum hold of a held lock. */
public abstract class EngineExtensionContract extends EngineContract {

    private final LockRequest kept = request.lease(LEASE);

    public EngineExtensionContract(Supplier<? extends LockStore> opening) {
        super(opening);
    }

    @Test
    void startsRenewalWhenAnExtensionAsksForIt() throws Exception {
        try (LockHandle held = first.locks().acquire(kept.withoutRenewal())) {
            held.extend(kept.withRenewal());

            assertStaysHeld(held, LEASE.multipliedBy(2));
        }
        assertFree();
    }

    @Test
    @Tag(Effort.FULL)
    void countsTheMaximumHoldOfAnExtensionFromTheExtension() throws Exception {
        LockHandle held = first.locks().acquire(kept.maxHold(LEASE));

        held.extend(kept.maxHold(LEASE.multipliedBy(3)));

        assertStaysHeld(held, LEASE.multipliedBy(2));
        letPassWithRenewals(LEASE.multipliedBy(2));
        assertLostAtItsMaximumHold(held);
    }

    @Test
    void keepsTheTermsThatAnExtensionDoesNotChange() throws Exception {
        LockHandle held = first.locks().acquire(kept.maxHold(LEASE));

        held.extend(LockRequest.of(key));

        letPassWithRenewals(LEASE.multipliedBy(2));
        assertLostAtItsMaximumHold(held);
    }

    @Test
    @Tag(Effort.FULL)
    void keepsTheMaximumHoldAfterAnExtensionWithoutRenewal() throws Exception {
        LockHandle held = first.locks().acquire(kept.maxHold(LEASE));

        held.extend(kept.withoutRenewal());
        held.extend(kept.withRenewal());

        letPassWithRenewals(LEASE.multipliedBy(2));
        assertLostAtItsMaximumHold(held);
    }

    @Test
    @Tag(Effort.FULL)
    void extendsEachOfSeveralLocks() throws Exception {
        LockRequest both = LockRequest.ofAll(List.of(key, key + ":2")).lease(LEASE);
        try (LockHandle held = first.locks().acquire(both.withoutRenewal())) {
            held.extend(both.withRenewal());

            assertStaysHeld(held, LEASE.multipliedBy(2));
        }
    }

    @Test
    void keepsTheFormerTermsWhenAnExtensionFails() throws Exception {
        LockHandle held = first.locks().acquire(kept.withoutRenewal());
        first.backend().failRenewals(1);

        assertThatThrownBy(() -> held.extend(kept.withRenewal())).isInstanceOf(LockBackendException.class);

        letPassWithRenewals(LEASE.multipliedBy(2));
        await().until(() -> !held.isHeld());
        assertThatThrownBy(() -> held.extend(kept)).isInstanceOf(LockLostException.class);
        held.release();
        assertThatThrownBy(() -> held.extend(kept)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void refusesAnExtensionForOtherKeysOrWithATooLongMinimumHold() throws Exception {
        try (LockHandle held = first.locks().acquire(kept)) {
            assertThatThrownBy(() -> held.extend(LockRequest.of("other")))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("other");
            assertThatThrownBy(() -> held.extend(kept.minHold(LEASE.plusMillis(1))))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("above the lease");
        }
    }

    private void assertLostAtItsMaximumHold(LockHandle held) {
        await().until(() -> !held.isHeld());
        assertThatThrownBy(held::ensureHeld)
                .isInstanceOf(LockLostException.class)
                .hasMessageContaining("it was held longer than its max-hold");
        held.release();
        assertFree();
    }

    /** A caller may use short extensions to check that it still holds the lock. */
    @Test
    void renewsInTimeDespiteFrequentExtensionsBelowTheLease() throws Exception {
        try (LockHandle held = first.locks().acquire(kept)) {
            for (int i = 0; i < 12; i++) {
                letPassWithRenewals(LEASE.dividedBy(6));
                held.extend(LockRequest.of(key).lease(LockRequest.MIN_LEASE));
            }
            assertHeldByAnother(second);
        }
    }
}
