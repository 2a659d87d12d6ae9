package io.github.lockstarter.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.HoldState;
import io.github.lockstarter.LockAdmin.Revocation;
import io.github.lockstarter.LockAdmin.StoredLock;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockNotAcquiredException;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.ReleaseOutcome;
import io.github.lockstarter.kit.Patience;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Locks with several permits, as callers of the engine see them. */
public abstract class EnginePermitsContract extends EngineContract {

    private static final int PERMITS = 3;

    /** Of a wait that ends with a grant. */
    private static final Duration LONG = Duration.ofMinutes(2);

    private final LockRequest permit = request.ownedByHandle().permits(PERMITS);

    public EnginePermitsContract(Supplier<? extends LockStore> opening) {
        super(opening);
    }

    @BeforeEach
    void needsPermits() {
        Needs.of(store).permits();
    }

    @Test
    void grantsOnlyAsManyHoldsAsPermitsAcrossAllInstances() {
        List<LockHandle> held = List.of(
                first.locks().acquire(permit),
                second.locks().acquire(permit),
                first.locks().acquire(permit));

        assertThat(held).extracting(LockHandle::slot).containsExactlyInAnyOrder(0, 1, 2);
        assertThat(first.locks().tryAcquire(permit)).isEmpty();
        assertThat(second.locks().tryAcquire(permit)).isEmpty();
        assertThatThrownBy(() -> second.locks().acquire(permit.withoutWaiting()))
                .isInstanceOf(LockNotAcquiredException.class);

        assertThat(held.get(1).release()).isEqualTo(ReleaseOutcome.RELEASED);
        LockHandle next = first.locks().acquire(permit);

        assertThat(next.slot()).isEqualTo(held.get(1).slot());
        assertThat(next.fencingToken()).isGreaterThan(held.get(1).fencingToken());
        assertThat(held.get(0).isHeld()).isTrue();
        assertThat(held.get(2).isHeld()).isTrue();
    }

    @Test
    void aThreadThatHoldsAPermitReentersIt() {
        LockRequest ofThread = request.permits(2);
        LockHandle outer = first.locks().acquire(ofThread);
        LockHandle nested = first.locks().acquire(ofThread);

        assertThat(nested.slot()).isEqualTo(outer.slot());
        assertThat(nested.fencingToken()).isEqualTo(outer.fencingToken());
        assertThat(second.locks().tryAcquire(ofThread)).isPresent();
        assertThat(nested.release()).isEqualTo(ReleaseOutcome.STILL_HELD);
        assertThat(outer.release()).isEqualTo(ReleaseOutcome.RELEASED);
    }

    @Test
    void aReleasedPermitWakesAWaiterOfEitherInstance() throws Exception {
        List<LockHandle> held = new ArrayList<>();
        for (int i = 0; i < PERMITS; i++) {
            held.add(first.locks().acquire(permit));
        }
        Future<LockHandle> other = elsewhere(() -> second.locks().acquire(permit.maxWait(Patience.TIME)));
        awaitWaiters(second, 1);
        held.get(1).release();
        LockHandle others = resultOf(other);
        assertThat(others.slot()).isEqualTo(held.get(1).slot());

        Future<LockHandle> own = elsewhere(() -> first.locks().acquire(permit.maxWait(Patience.TIME)));
        awaitWaiters(first, 1);
        held.get(2).release();
        assertThat(resultOf(own).slot()).isEqualTo(held.get(2).slot());
    }

    /** The instance that has waited longest requests fewer permits: it forwards the signal and keeps its place. */
    @Test
    void theSignalForASlotReachesWhoAsksForSoManyPermits() throws Exception {
        Needs.of(store).signals();
        LockHandle[] held = new LockHandle[PERMITS];
        for (int i = 0; i < PERMITS; i++) {
            LockHandle each = first.locks().acquire(permit);
            held[each.slot()] = each;
        }
        Application one = newApplication(Application.settingsThatTrustSignals());
        Application all = newApplication(Application.settingsThatTrustSignals());
        Future<LockHandle> firstSlot = elsewhere(() -> one.locks().acquire(request.maxWait(LONG)));
        awaitWaiters(one, 1);
        Future<LockHandle> anySlot = elsewhere(() -> all.locks().acquire(permit.maxWait(LONG)));
        awaitWaiters(all, 1);

        held[2].release();
        assertThat(resultOf(anySlot).slot()).isEqualTo(2);

        Future<LockHandle> nextSlot = elsewhere(() -> all.locks().acquire(permit.maxWait(LONG)));
        awaitWaiters(all, 2);
        assertThat(firstSlot).isNotDone();
        held[1].release();
        assertThat(resultOf(nextSlot).slot()).isEqualTo(1);
        held[0].release(); // only the first waiter is left
        assertThat(resultOf(firstSlot).slot()).isZero();
    }

    /** Callers of one instance queue for the slots that each of them can use. */
    @Test
    void aCallerThatAsksForMorePermitsIsNotKeptByTheOneBeforeIt() throws Exception {
        LockHandle firstSlot = second.locks().acquire(request.ownedByHandle());
        assertThat(firstSlot.slot()).isZero();
        Future<LockHandle> one = elsewhere(() -> first.locks().acquire(request.maxWait(LONG)));
        awaitWaiters(first, 1);

        LockHandle held = first.locks().acquire(permit.maxWait(LONG));

        assertThat(held.slot()).isNotZero();
        assertThat(one).isNotDone();
        firstSlot.release();
        assertThat(resultOf(one).slot()).isZero();
    }

    @Test
    void concurrentTriesGetAllPermits() {
        List<CompletableFuture<LockHandle>> tries = new ArrayList<>();
        for (int i = 0; i < 2 * PERMITS; i++) {
            tries.add(first.locks().acquireAsync(permit.withoutWaiting()));
        }
        long granted = tries.stream()
                .map(each -> each.handle((handle, failure) -> failure == null).join())
                .filter(isGranted -> isGranted)
                .count();

        assertThat(granted).isEqualTo(PERMITS);
    }

    @Test
    void renewsAndListsEachPermitSeparately() throws Exception {
        LockRequest renewed = permit.lease(LEASE);
        LockHandle one = first.locks().acquire(renewed);
        LockHandle other = first.locks().acquire(renewed);

        letPassWithRenewals(LEASE.multipliedBy(2));
        assertThat(one.isHeld()).isTrue();
        assertThat(other.isHeld()).isTrue();
        assertThat(first.locks().heldLocks().snapshot())
                .filteredOn(held -> held.key().equals(key))
                .extracting(held -> held.slot())
                .containsExactlyInAnyOrder(one.slot(), other.slot());
        LockHandle third = second.locks().acquire(renewed);
        assertThat(second.locks().tryAcquire(renewed)).isEmpty();

        one.release();
        assertThat(one.state()).isEqualTo(HoldState.RELEASED);
        assertThat(other.isHeld()).isTrue();
        third.release();
    }

    @Test
    void aPermitWithoutRenewalEndsWithoutTheOthers() throws Exception {
        LockHandle ending = first.locks().acquire(permit.withoutRenewal());
        LockHandle renewed = first.locks().acquire(permit);
        letPassWithRenewals(LEASE);

        await().untilAsserted(() -> assertThat(ending.state()).isEqualTo(HoldState.LOST));

        assertThat(renewed.isHeld()).isTrue();
        LockHandle next = second.locks().acquire(permit);
        LockHandle last = second.locks().acquire(permit);
        assertThat(List.of(next.slot(), last.slot())).doesNotContain(renewed.slot());
    }

    /** More callers than permits on two instances. */
    @Test
    void neverGrantsMoreHoldsThanPermits() throws Exception {
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        Map<Integer, Long> latest = new HashMap<>();
        List<Future<Object>> callers = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            Application application = i % 2 == 0 ? first : second;
            callers.add(elsewhere(() -> {
                for (int round = 0; round < 15; round++) {
                    try (LockHandle held = application.locks().acquire(permit.maxWait(LONG))) {
                        most.accumulateAndGet(inside.incrementAndGet(), Math::max);
                        synchronized (latest) {
                            assertThat(held.fencingToken()).isGreaterThan(latest.getOrDefault(held.slot(), 0L));
                            latest.put(held.slot(), held.fencingToken());
                        }
                        Thread.sleep(1); // the work
                        inside.decrementAndGet();
                    }
                }
                return null;
            }));
        }
        for (Future<Object> caller : callers) {
            caller.get(Patience.SECONDS, TimeUnit.SECONDS);
        }

        assertThat(most).hasValueBetween(2, PERMITS);
        assertThat(latest).containsOnlyKeys(0, 1, 2);
    }

    @Test
    void anOperatorOfAnotherInstanceRevokesOneSlot() throws Exception {
        List<LockHandle> held =
                List.of(first.locks().acquire(permit), first.locks().acquire(permit));
        LockHandle taken = held.get(0).slot() == 1 ? held.get(0) : held.get(1);
        LockHandle kept = taken == held.get(0) ? held.get(1) : held.get(0);
        CompletableFuture<StoredLock> seen = second.admin().inspect(key, 1);
        assertThat(seen.join()).isInstanceOf(StoredLock.Held.class);
        assertThat(second.admin().inspect(key, 2).join()).isInstanceOf(StoredLock.Free.class);

        CompletableFuture<Revocation> revocation =
                second.admin().revoke(key, 1, seen.join().fencingToken());

        assertThat(revocation.join()).isEqualTo(new Revocation.Revoked());
        await().untilAsserted(() -> assertThat(taken.state()).isEqualTo(HoldState.LOST));
        assertThat(kept.isHeld()).isTrue();
        assertThat(second.locks().acquire(permit).isHeld()).isTrue();
    }

    /** The slot granted last is kept longest; a waiter gets the other one first. */
    @Test
    void aWaiterGetsTheSlotWhoseMinimumHoldEndsFirst() throws Exception {
        Needs.of(store).minHold();
        LockRequest window = permit.permits(2).lease(LEASE).minHold(LEASE);
        LockHandle early = first.locks().acquire(window);
        letPass(LEASE.dividedBy(2));
        LockHandle late = first.locks().acquire(window);
        Future<LockHandle> waiting = elsewhere(() -> first.locks().acquire(window.maxWait(Patience.TIME)));
        awaitWaiters(first, 1);
        early.release();
        late.release();
        letPass(LEASE.dividedBy(2));

        assertThat(resultOf(waiting).slot()).isEqualTo(early.slot());
    }

    @Test
    void theMinimumHoldAppliesToOneSlot() {
        Needs.of(store).minHold();
        LockRequest window = permit.permits(2).lease(LEASE).minHold(LEASE.dividedBy(2));
        first.locks().acquire(window).release();
        LockHandle second1 = second.locks().acquire(window);

        assertThat(first.locks().tryAcquire(window)).isEmpty();
        second1.release();
        assertThat(second.locks().tryAcquire(window)).isEmpty();
        assertThat(first.locks().tryAcquire(window.permits(3))).isPresent();
    }

    /** No waiter can use the slot: its signal is not forwarded between their instances. */
    @Test
    void theSignalForASlotThatNobodyAsksForEnds() throws Exception {
        Needs.of(store).signals();
        LockHandle[] held = new LockHandle[PERMITS];
        for (int i = 0; i < PERMITS; i++) {
            LockHandle each = first.locks().acquire(permit);
            held[each.slot()] = each;
        }
        List<Application> waiting = Stream.generate(() -> newApplication(Application.settingsThatTrustSignals()))
                .limit(3)
                .toList();
        // They may acquire in any order: the first in line may still be asking again after its signal.
        List<Future<ReleaseOutcome>> firstSlot = new ArrayList<>();
        for (Application each : waiting) {
            firstSlot.add(
                    elsewhere(() -> each.locks().acquire(request.maxWait(LONG)).release()));
            awaitWaiters(each, 1);
        }
        held[1].release();
        held[2].release();
        Thread.sleep(Patience.MOMENT_MILLIS); // in which a signal would travel some thousand times
        for (Application each : waiting) {
            assertThat(each.backend().sent()).hasSizeLessThan(60);
        }
        held[0].release();
        for (Future<ReleaseOutcome> each : firstSlot) {
            assertThat(resultOf(each)).isEqualTo(ReleaseOutcome.RELEASED);
        }
    }
}
