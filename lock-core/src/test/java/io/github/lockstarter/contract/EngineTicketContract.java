package io.github.lockstarter.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.github.lockstarter.HoldState;
import io.github.lockstarter.LockAdmin.StoredLock;
import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockHolder;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockTicket;
import io.github.lockstarter.ReleaseOutcome;
import io.github.lockstarter.kit.Patience;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Detached locks, as callers of two engines see them. */
public abstract class EngineTicketContract extends EngineContract {

    public EngineTicketContract(Supplier<? extends LockStore> opening) {
        super(opening);
    }

    @Test
    void goesOnUnderTheSameLockInAnotherInstance() {
        needsTickets();
        LockHandle before = first.locks().acquire(request);
        String text = before.detach().text();
        assertHeldByAnother(first);
        assertHeldByAnother(second);

        LockHandle held = second.locks().attach(LockTicket.of(text));

        assertThat(held.isHeld()).isTrue();
        assertThat(held.fencingToken()).isGreaterThan(before.fencingToken());
        assertHeldByAnother(first);
        assertThat(held.release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertFree();
    }

    @Test
    void theOldHandleIsReleased() {
        needsTickets();
        LockHandle before = first.locks().acquire(request);
        LockTicket ticket = before.detach();

        assertThat(before.state()).isEqualTo(HoldState.RELEASED);
        assertThat(before.release()).isEqualTo(ReleaseOutcome.ALREADY_RELEASED);
        assertThatThrownBy(before::detach).isInstanceOf(IllegalStateException.class);
        assertThat(first.locks().heldLocks().find(key)).isEmpty();
        assertThat(first.events().of(LockEvent.Released.class))
                .extracting(LockEvent.Released::outcome)
                .containsExactly(ReleaseOutcome.DETACHED);

        second.locks().attach(ticket).close();
    }

    @Test
    void aStopOfTheOldInstanceLeavesTheLockToTheTicket() {
        needsTickets();
        LockTicket ticket = first.locks().acquire(request).detach();
        first.close();

        LockHandle held = second.locks().attach(ticket);

        assertThat(held.isHeld()).isTrue();
        held.close();
    }

    @Test
    void theAttachedLockIsRenewed() throws Exception {
        needsTickets();
        Needs.of(store).time();
        LockHandle held = second.locks().attach(first.locks().acquire(request).detach());

        for (Duration step = LEASE.multipliedBy(3); !step.isZero(); step = step.minus(LEASE)) {
            letPassWithRenewals(LEASE);
            assertThat(held.isHeld()).isTrue();
            assertHeldByAnother(first);
        }
        held.close();
    }

    @Test
    void theDetachedLockIsNotRenewed() throws Exception {
        needsTickets();
        Needs.of(store).time();
        LockTicket ticket = first.locks().acquire(request).detach();
        letPassWithRenewals(LEASE.minusSeconds(1));
        assertHeldByAnother(second);

        letPassWithRenewals(Duration.ofSeconds(1));

        assertThatThrownBy(() -> second.locks().attach(ticket))
                .isInstanceOf(LockLostException.class)
                .hasMessageStartingWith("Could not attach lock '" + key + "' by its ticket: the lock is free. ");
        assertFree();
    }

    @Test
    void aTicketIsUsedOnce() {
        needsTickets();
        LockTicket ticket = first.locks().acquire(request).detach();
        LockHandle held = second.locks().attach(ticket);

        assertThatThrownBy(() -> first.locks().attach(ticket))
                .isInstanceOf(LockLostException.class)
                .hasMessageContaining("held by")
                .hasMessageContaining("nothing has changed");
        assertThatThrownBy(() -> second.locks().attach(ticket)).isInstanceOf(LockLostException.class);
        assertThatThrownBy(() -> second.locks().tryAcquire(LockRequest.ofTicket(ticket)))
                .isInstanceOf(LockLostException.class);
        assertThat(first.locks().release(ticket)).isEqualTo(ReleaseOutcome.LOST);

        held.ensureHeld();
        held.close();
        assertThatThrownBy(() -> first.locks().attach(ticket)).isInstanceOf(LockLostException.class);
        assertFree();
    }

    @Test
    void aTicketIsReleasedWithoutWork() {
        needsTickets();
        LockTicket ticket = first.locks().acquire(request).detach();

        assertThat(second.locks().release(ticket)).isEqualTo(ReleaseOutcome.RELEASED);

        assertFree();
        assertThat(first.locks().release(ticket)).isEqualTo(ReleaseOutcome.LOST);
    }

    @Test
    void theSameThreadDetachesAndAttachesAgainAndAgain() {
        needsTickets();
        LockHandle held = first.locks().acquire(request);
        for (int i = 0; i < 5; i++) {
            long before = held.fencingToken();
            held = first.locks().attach(held.detach());
            assertThat(held.fencingToken()).isGreaterThan(before);
        }
        held.close();
        assertFree();
    }

    @Test
    void aWaiterOfTheOldInstanceGetsTheLockAfterTheNewOne() throws Exception {
        needsTickets();
        LockHandle before = first.locks().acquire(request);
        Future<LockHandle> waiting = elsewhere(() -> first.locks().acquire(request.maxWait(Patience.TIME)));
        awaitWaiters(first, 1);
        LockHandle held = second.locks().attach(before.detach());
        assertThat(waiting).isNotDone();

        held.close();

        LockHandle next = resultOf(waiting);
        assertThat(next.fencingToken()).isGreaterThan(held.fencingToken());
        next.close();
    }

    @Test
    void attachesBesideWaitersOfTheSameInstance() throws Exception {
        needsTickets();
        LockTicket ticket = first.locks().acquire(request).detach();
        Future<LockHandle> waiting = elsewhere(() -> second.locks().acquire(request.maxWait(Patience.TIME)));
        awaitWaiters(second, 1);

        LockHandle held = second.locks().attach(ticket);

        held.close();
        assertThat(resultOf(waiting).release()).isEqualTo(ReleaseOutcome.RELEASED);
    }

    @Test
    void runsWorkUnderAnAttachedLock() throws Exception {
        needsTickets();
        LockTicket ticket = first.locks().acquire(request).detach();
        LockTicket next = second.locks().execute(LockRequest.ofTicket(ticket), () -> LockHandle.current()
                .orElseThrow()
                .detach());

        LockHandle held = resultOf(first.locks().acquireAsync(LockRequest.ofTicket(next)));

        assertHeldByAnother(second);
        held.close();
        assertFree();
    }

    @Test
    void showsAnOperatorThatALockIsDetached() {
        needsTickets();
        first.locks().acquire(request).detach();

        StoredLock stored = second.admin().inspect(key).join();

        assertThat(stored).isInstanceOfSatisfying(StoredLock.Held.class, held -> {
            LockHolder holder = held.holder().orElseThrow();
            assertThat(holder.instance()).isEqualTo(first.admin().instance());
            assertThat(holder.owner())
                    .hasValueSatisfying(owner -> assertThat(owner).endsWith("(detached)"));
        });
    }

    @Test
    void anOperatorRevokesADetachedLock() {
        needsTickets();
        LockTicket ticket = first.locks().acquire(request).detach();
        StoredLock.Held stored = (StoredLock.Held) second.admin().inspect(key).join();

        second.admin().revoke(key, stored.fencingToken()).join();

        assertFree();
        assertThatThrownBy(() -> second.locks().attach(ticket)).isInstanceOf(LockLostException.class);
    }

    @Test
    void refusesToDetachWhatATicketCannotHave() {
        needsTickets();
        try (LockHandle outer = first.locks().acquire(request);
                LockHandle inner = first.locks().acquire(request)) {
            for (LockHandle each : List.of(outer, inner)) {
                assertThatThrownBy(each::detach)
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessage("Lock '" + key + "' can have no ticket: its thread has entered it again. Leave that"
                                + " section first");
            }
            assertThat(outer.isHeld()).isTrue();
        }
        LockRequest two = LockRequest.ofAll(List.of(key, key + ":2"));
        try (LockHandle both = first.locks().acquire(two)) {
            assertThatThrownBy(both::detach)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageEndingWith(
                            "cannot be detached together: a ticket has one lock. Acquire and detach each" + " alone");
            assertThat(both.isHeld()).isTrue();
        }
        try (LockHandle held = first.locks().acquire(request)) {
            assertThatThrownBy(() -> held.detach(Duration.ofDays(1)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("above distributed-lock.max-lease");
            assertThat(held.isHeld()).isTrue();
        }
    }

    @Test
    void refusesToDetachPermitsAndKeptLocks() {
        needsTickets();
        Needs.of(store).permits();
        Needs.of(store).minHold();
        try (LockHandle held = first.locks().acquire(request.permits(2))) {
            assertThatThrownBy(held::detach)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageEndingWith("it has several permits or a minimum hold. Leave them out");
        }
        try (LockHandle held = first.locks().acquire(request.minHold(Duration.ofMillis(1)))) {
            assertThatThrownBy(held::detach)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageEndingWith("it has several permits or a minimum hold. Leave them out");
        }
    }

    @Test
    void aStoreWithoutTicketsRefusesThemInOneSentence() {
        assumeThat(store.capabilities().tickets()).isFalse();
        String refusal = "Lock '" + key
                + "' can have no ticket: this lock store cannot pass a lock on. Keep the lock in another store";
        try (LockHandle held = first.locks().acquire(request)) {
            assertThatThrownBy(held::detach)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage(refusal);
            assertThat(held.isHeld()).isTrue();
        }
        LockTicket ticket =
                new LockTicket(LockRequest.UNNAMED, key, "0123456789abcdef0123456789abcdef:1|1 (detached)", 1);
        assertThatThrownBy(() -> first.locks().attach(ticket))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage(refusal);
    }

    private void needsTickets() {
        Needs.of(store).tickets();
    }
}
