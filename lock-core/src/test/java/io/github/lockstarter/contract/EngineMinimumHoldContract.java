package io.github.lockstarter.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.DURATION;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import io.github.lockstarter.LockAdmin.StoredLock;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.MinHoldIf;
import io.github.lockstarter.ReleaseOutcome;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Locks with a minimum hold, as callers of the engine see them. */
public abstract class EngineMinimumHoldContract extends EngineContract {

    private static final Duration SHORT = LEASE.dividedBy(6);
    private static final Duration LONG = LEASE.dividedBy(2);

    private final LockRequest tick = request.lease(LEASE).withoutWaiting();
    private final LockRequest longTick = tick.minHold(LONG);

    public EngineMinimumHoldContract(Supplier<? extends LockStore> opening) {
        super(opening);
    }

    @BeforeEach
    void needsMinimumHolds() {
        Needs.of(store).minHold();
    }

    @Test
    void keepsAReleasedLockFromTheSameThreadAndFromOtherInstances() {
        assertThat(first.locks().acquire(longTick).release()).isEqualTo(ReleaseOutcome.RELEASED);

        assertThat(first.locks().tryAcquire(longTick)).isEmpty();
        assertThat(second.locks().tryAcquire(longTick)).isEmpty();
        assertThat(stored()).isInstanceOf(StoredLock.Kept.class);
    }

    @Test
    void keepsALockThatNeedsASuccessOnlyAfterIt() {
        LockRequest once = longTick.minHoldIf(MinHoldIf.SUCCESS);
        assertThat(first.locks().acquire(once).release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(stored()).isInstanceOf(StoredLock.Free.class);

        try (LockHandle next = second.locks().acquire(once)) {
            next.recordSuccess();
        }
        assertThat(stored()).isInstanceOf(StoredLock.Kept.class);
        assertThat(first.locks().tryAcquire(once)).isEmpty();
    }

    @Test
    void aWaiterOfAnotherInstanceAcquiresWhenTheMinimumHoldIsOver() throws Exception {
        LockHandle held = first.locks().acquire(tick.minHold(SHORT));
        Future<LockHandle> waiter = elsewhere(() -> second.locks().acquire(request));
        awaitWaiters(second, 1);

        held.close();
        letPass(SHORT);

        LockHandle next = resultOf(waiter);
        assertThat(next.fencingToken()).isGreaterThan(held.fencingToken());
        next.close();
    }

    @Test
    void aNestedHoldRaisesTheMinimumHold() {
        try (LockHandle outer = first.locks().acquire(tick);
                LockHandle inner = first.locks().acquire(longTick)) {
            assertThat(inner.fencingToken()).isEqualTo(outer.fencingToken());
        }

        assertThat(stored()).isInstanceOf(StoredLock.Kept.class);
    }

    @Test
    void aNestedHoldNeverShortensTheMinimumHold() {
        try (LockHandle outer = first.locks().acquire(longTick);
                LockHandle inner = first.locks().acquire(tick.minHold(Duration.ofMillis(1)))) {
            assertThat(inner.fencingToken()).isEqualTo(outer.fencingToken());
        }

        assertThat(stored()).isInstanceOf(StoredLock.Kept.class);
    }

    @Test
    void countsTheMinimumHoldOfAnExtensionFromTheExtension() {
        LockHandle held = first.locks().acquire(tick.lease(SHORT));
        letPass(SHORT.dividedBy(2)); // so that the grant is no longer recent
        held.extend(tick.lease(SHORT).minHold(SHORT));

        held.close();

        assertThat(stored())
                .asInstanceOf(type(StoredLock.Kept.class))
                .extracting(StoredLock.Kept::remaining, DURATION)
                .isBetween(SHORT.dividedBy(2), SHORT.multipliedBy(3));
    }

    /** The store counts from the grant to the previous hold; with two waiters it grants tokens for both. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void countsTheMinimumHoldOfAHandedOverLockFromTheHandOver(boolean extended) throws Exception {
        LockHandle before = first.locks().acquire(request);
        Future<LockHandle> granted = first.locks().acquireAsync(request);
        awaitWaiters(first, 1);
        Future<?> handedOver = elsewhere(() -> {
            try (LockHandle outer = first.locks().acquire(request)) {
                if (extended) {
                    outer.extend(request.minHold(SHORT));
                } else {
                    first.locks().acquire(request.minHold(SHORT)).close();
                }
            }
            return null;
        });
        awaitWaiters(first, 2);
        before.close();
        LockHandle held = resultOf(granted);
        letPass(SHORT); // so that the grant is no longer recent

        held.close();
        resultOf(handedOver);

        assertThat(stored())
                .asInstanceOf(type(StoredLock.Kept.class))
                .extracting(StoredLock.Kept::remaining, DURATION)
                .isBetween(SHORT.dividedBy(2), SHORT.multipliedBy(3));
    }

    @Test
    void anExtensionNeverShortensTheMinimumHold() {
        LockHandle held = first.locks().acquire(longTick);
        held.extend(tick.minHold(Duration.ZERO));
        held.close();

        assertThat(stored()).isInstanceOf(StoredLock.Kept.class);
    }

    @Test
    void refusesAMinimumHoldAboveTheLease() {
        LockRequest tooLong = request.lease(Duration.ofSeconds(5)).minHold(Duration.ofSeconds(6));

        assertThatThrownBy(() -> first.locks().acquire(tooLong))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("minHold of lock '" + key + "' is 6s, above the lease of the lock (5s)."
                        + " Lower the minimum hold, or raise the lease");
    }

    private StoredLock stored() {
        return second.admin().inspect(key).join();
    }
}
