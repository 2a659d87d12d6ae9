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
 * A response of the endpoint.
 *
 * @param instance the instance; a new one after each start
 * @param heldTotal number of held locks, including those beyond the limit
 * @param waitingTotal number of waiting callers, including those beyond the limit
 * @param held held locks
 * @param waiting waiting callers
 * @param store the store's answer about a single key
 */
public record LocksReport(
        String instance,
        int heldTotal,
        int waitingTotal,
        List<Held> held,
        List<Waiting> waiting,
        @Nullable Stored store)
        implements OperationResponseBody {

    /** Replaces a key that the reader must not see. */
    public static final String MASKED = "****** (management.endpoint.locks.show-values)";

    /**
     * A held lock.
     *
     * @param key its key, or {@value LocksReport#MASKED}
     * @param name its name
     * @param slot its slot, from 0
     * @param fencingToken its fencing token
     * @param owner the acquiring thread, or {@value HeldLock#ASYNC}
     * @param heldSince the time of the grant
     * @param heldForMs milliseconds since then
     * @param remainingLeaseMs milliseconds until the lease ends
     * @param holdCount nested holds, at least 1
     * @param renewals renewals so far
     * @param handOvers consecutive hand-overs within this instance
     * @param state whether it is certainly held
     * @param takenOverFrom the previous instance of a taken-over lock
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
     * A waiting caller.
     *
     * @param key the lock's key, or {@value LocksReport#MASKED}
     * @param name the lock's name
     * @param owner the waiting thread, or {@value HeldLock#ASYNC}
     * @param waitingSince the start of the wait
     * @param waitedForMs milliseconds since then
     * @param position position among this instance's waiters, from 1
     * @param attempts number of attempts at the store
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
     * A lock's state in the store.
     *
     * @param state the state
     * @param holder the owner; absent if the lock is free or held by a client of another kind
     * @param remainingMs milliseconds until the lease, the minimum time or the recovery ends
     * @param inDoubtForMs milliseconds since the store detected the holder's disconnection; absent if connected or
     *     unchecked
     * @param fencingToken the last one granted, needed for a release
     * @param waitingInstances instances registered as waiters
     * @param problem the cause of an unknown state
     */
    public record Stored(
            State state,
            @Nullable LockHolder holder,
            @Nullable Long remainingMs,
            @Nullable Long inDoubtForMs,
            @Nullable Long fencingToken,
            @Nullable Long waitingInstances,
            @Nullable String problem) {

        /** The state of a lock in the store. */
        public enum State {
            /** An owner holds it. */
            HELD,
            /**
             * An owner holds it, but its instance is disconnected: another instance takes the lock over unless the
             * owner renews it first.
             */
            IN_DOUBT,
            /** No owner holds it, but its minimum time is not over. */
            KEPT,
            /** No owner holds it. */
            FREE,
            /** The store knows no owner, but may have lost one, and does not grant the lock for a while. */
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
