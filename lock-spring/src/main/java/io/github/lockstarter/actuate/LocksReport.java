package io.github.lockstarter.actuate;

import io.github.lockstarter.HeldLock;
import io.github.lockstarter.HoldState;
import io.github.lockstarter.LockAdmin.StoredLock;
import io.github.lockstarter.LockAdmin.Waiter;
import io.github.lockstarter.LockHolder;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * An answer of the endpoint.
 *
 * @param instance which instance of the application answers; another one after each start
 * @param heldTotal how many locks are held, those beyond the limit included
 * @param waitingTotal how many callers wait, those beyond the limit included
 * @param held held locks
 * @param waiting callers that wait
 * @param store the lock in the store, if a single key is requested; absent otherwise
 */
public record LocksReport(
        String instance,
        int heldTotal,
        int waitingTotal,
        List<Held> held,
        List<Waiting> waiting,
        @Nullable Stored store)
        implements OperationResponseBody {

    /** In place of a key that the reader may not see. */
    public static final String MASKED = "****** (management.endpoint.locks.show-values)";

    /**
     * One held lock.
     *
     * @param key its key, or {@value LocksReport#MASKED}
     * @param name logical name of the request
     * @param slot which of the lock's permits it is, from 0 on
     * @param fencingToken its fencing token
     * @param owner name of the acquiring thread, or {@value HeldLock#ASYNC}
     * @param heldSince when it was acquired
     * @param heldForMs milliseconds since then
     * @param remainingLeaseMs milliseconds until its lease is over unless it is renewed
     * @param holdCount nested holds, at least 1
     * @param renewals how often the lease was renewed
     * @param handOvers how many holders of this instance had it right before, one after the other
     * @param state whether it is certainly held
     * @param takenOverFrom the instance that it was taken over from; absent if the lock was free
     */
    public record Held(
            String key,
            String name,
            int slot,
            long fencingToken,
            String owner,
            Instant heldSince,
            long heldForMs,
            long remainingLeaseMs,
            int holdCount,
            long renewals,
            long handOvers,
            HoldState state,
            @Nullable String takenOverFrom) {

        static Held of(HeldLock held, boolean shown) {
            return new Held(
                    shown ? held.key() : MASKED,
                    held.name(),
                    held.slot(),
                    held.fencingToken(),
                    held.owner(),
                    held.heldSince(),
                    held.heldFor().toMillis(),
                    held.remainingLease().toMillis(),
                    held.holdCount(),
                    held.renewals(),
                    held.handOvers(),
                    held.state(),
                    held.takenOverFrom().map(LockHolder::instanceText).orElse(null));
        }
    }

    /**
     * One caller that waits.
     *
     * @param key the lock's key, or {@value LocksReport#MASKED}
     * @param name logical name of the request
     * @param owner name of the waiting thread, or {@value HeldLock#ASYNC}
     * @param waitingSince when it began to
     * @param waitedForMs milliseconds since then
     * @param position place among those of this instance, from 1
     * @param attempts how often it has asked the store
     */
    public record Waiting(
            String key, String name, String owner, Instant waitingSince, long waitedForMs, int position, int attempts) {

        static Waiting of(Waiter waiter, Instant now, boolean shown) {
            return new Waiting(
                    shown ? waiter.key() : MASKED,
                    waiter.name(),
                    waiter.owner(),
                    now.minus(waiter.waitedFor()),
                    waiter.waitedFor().toMillis(),
                    waiter.position(),
                    waiter.attempts());
        }
    }

    /**
     * One lock as the store has it.
     *
     * @param state whether an owner has it
     * @param holder the owner; absent if the lock is free or a client of another kind has it
     * @param remainingMs until the store ends the lease, or grants the lock again if it is kept or recovers; absent if
     *     the lock is free or never ends
     * @param inDoubtForMs how long ago the store noticed that the instance is not connected any more; absent if it is,
     *     as far as another instance has asked
     * @param fencingToken the last that was granted, by which it can be released; absent if the store knows none
     * @param waitingInstances how many instances are registered as waiters
     * @param problem why the state is unknown
     */
    public record Stored(
            State state,
            @Nullable LockHolder holder,
            @Nullable Long remainingMs,
            @Nullable Long inDoubtForMs,
            @Nullable Long fencingToken,
            @Nullable Long waitingInstances,
            @Nullable String problem) {

        /** Whether an owner has a lock. */
        public enum State {
            /** An owner has it. */
            HELD,
            /**
             * An owner has it whose instance is not connected any more: another instance takes it over, unless the
             * owner renews it first.
             */
            IN_DOUBT,
            /** No owner has it, and the store grants it to none for the rest of its minimum time. */
            KEPT,
            /** No owner has it. */
            FREE,
            /** The store knows no owner, may have forgotten one, and does not grant the lock for a while. */
            RECOVERING,
            /** The store did not answer. */
            UNKNOWN
        }

        static Stored of(StoredLock stored) {
            if (stored instanceof StoredLock.Held held) {
                return new Stored(
                        held.inDoubtFor().isPresent() ? State.IN_DOUBT : State.HELD,
                        held.holder().orElse(null),
                        millis(held.remainingLease()),
                        millis(held.inDoubtFor()),
                        held.fencingToken(),
                        held.waitingInstances(),
                        null);
            }
            if (stored instanceof StoredLock.Kept kept) {
                long remaining = kept.remaining().toMillis();
                return new Stored(
                        State.KEPT, null, remaining, null, kept.fencingToken(), kept.waitingInstances(), null);
            }
            if (stored instanceof StoredLock.Free free) {
                Long fencingToken = free.fencingToken() == 0 ? null : free.fencingToken();
                Long remaining =
                        free.recovering().isZero() ? null : free.recovering().toMillis();
                State state = remaining == null ? State.FREE : State.RECOVERING;
                return new Stored(state, null, remaining, null, fencingToken, free.waitingInstances(), null);
            }
            return new Stored(State.UNKNOWN, null, null, null, null, null, ((StoredLock.Unknown) stored).reason());
        }

        private static @Nullable Long millis(Optional<Duration> duration) {
            return duration.map(Duration::toMillis).orElse(null);
        }
    }
}
