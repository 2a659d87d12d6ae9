package io.github.lockstarter.actuate;

import io.github.lockstarter.HeldLock;
import io.github.lockstarter.HoldState;
import io.github.lockstarter.LockAdmin.StoredLock;
import io.github.lockstarter.LockAdmin.WaitingCaller;
import io.github.lockstarter.LockHolder;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/** A response of the endpoint. The totals include entries beyond the limit; {@code store} describes a single key. */
public record LocksReport(
        String instance,
        int heldTotal,
        int waitingTotal,
        List<HeldLockReport> held,
        List<WaiterReport> waiting,
        @Nullable StoredLockReport store)
        implements OperationResponseBody {

    public static final String MASKED = "****** (management.endpoint.locks.show-values)";

    /**
     * A held lock.
     *
     * @param owner acquiring thread, or {@value HeldLock#ASYNC}
     * @param maxHoldMs absent without a limit
     * @param handovers consecutive handovers within this instance
     */
    public record HeldLockReport(
            String key,
            String name,
            int slot,
            long fencingToken,
            String owner,
            Instant heldSince,
            long heldForMs,
            long remainingLeaseMs,
            @Nullable Long maxHoldMs,
            int holdCount,
            long renewals,
            long handovers,
            HoldState state,
            @Nullable String takenOverFrom) {

        static HeldLockReport of(HeldLock held, boolean shown) {
            return new HeldLockReport(
                    shown ? held.key() : MASKED,
                    held.name(),
                    held.slot(),
                    held.fencingToken(),
                    held.owner(),
                    held.heldSince(),
                    held.heldFor().toMillis(),
                    held.remainingLease().toMillis(),
                    held.maxHold().map(Duration::toMillis).orElse(null),
                    held.holdCount(),
                    held.renewals(),
                    held.handovers(),
                    held.state(),
                    held.takenOverFrom().map(LockHolder::instanceText).orElse(null));
        }
    }

    public record WaiterReport(
            String key, String name, String owner, Instant waitingSince, long waitedForMs, int position, int attempts) {

        static WaiterReport of(WaitingCaller waiter, Instant now, boolean shown) {
            return new WaiterReport(
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
     * A lock in the store.
     *
     * @param holder absent if the lock is free or held by a client of another kind
     * @param remainingMs until the lease, the minimum hold or the recovery ends
     * @param inDoubtForMs since the store detected the holder's disconnection
     */
    public record StoredLockReport(
            State state,
            @Nullable LockHolder holder,
            @Nullable Long remainingMs,
            @Nullable Long inDoubtForMs,
            @Nullable Long fencingToken,
            @Nullable Long waitingInstances,
            @Nullable String problem) {

        public enum State {
            HELD,
            /** Held by a disconnected instance: another one takes the lock over unless the owner renews it first. */
            IN_DOUBT,
            /** Free, but its minimum hold is not over. */
            KEPT,
            FREE,
            /** The store knows no owner, but may have lost one, and does not grant the lock for a while. */
            RECOVERING,
            UNKNOWN
        }

        static StoredLockReport of(StoredLock stored) {
            if (stored instanceof StoredLock.Held held) {
                return new StoredLockReport(
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
                return new StoredLockReport(
                        State.KEPT, null, remaining, null, kept.fencingToken(), kept.waitingInstances(), null);
            }
            if (stored instanceof StoredLock.Free free) {
                Long fencingToken = free.fencingToken() == 0 ? null : free.fencingToken();
                Long remaining =
                        free.recovering().isZero() ? null : free.recovering().toMillis();
                State state = remaining == null ? State.FREE : State.RECOVERING;
                return new StoredLockReport(state, null, remaining, null, fencingToken, free.waitingInstances(), null);
            }
            return new StoredLockReport(
                    State.UNKNOWN, null, null, null, null, null, ((StoredLock.Unknown) stored).reason());
        }

        private static @Nullable Long millis(Optional<Duration> duration) {
            return duration.map(Duration::toMillis).orElse(null);
        }
    }
}
