package io.github.lockstarter.actuate;

import io.github.lockstarter.HeldLock;
import io.github.lockstarter.HoldState;
import io.github.lockstarter.LockAdmin.StoredLock;
import io.github.lockstarter.LockAdmin.WaitingCaller;
import io.github.lockstarter.LockHolder;
import io.github.lockstarter.LockMode;
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
     * @param holdCount nested holds, or callers that read
     * @param handovers consecutive handovers within this instance
     */
    public record HeldLockReport(
            String key,
            String name,
            int slot,
            long fencingToken,
            LockMode mode,
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
                    held.mode(),
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
            String key,
            String name,
            LockMode mode,
            String owner,
            Instant waitingSince,
            long waitedForMs,
            int position,
            int attempts) {

        static WaiterReport of(WaitingCaller waiter, Instant now, boolean shown) {
            return new WaiterReport(
                    shown ? waiter.key() : MASKED,
                    waiter.name(),
                    waiter.mode(),
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
     * @param holder absent if the lock is free, read, or held by a client of another kind
     * @param remainingMs until the lease, the minimum hold or the recovery ends
     * @param inDoubtForMs since the store detected the holder's disconnection
     * @param readers the holds of a lock that is read, each for any number of callers of its instance
     */
    public record StoredLockReport(
            State state,
            @Nullable LockHolder holder,
            @Nullable Long remainingMs,
            @Nullable Long inDoubtForMs,
            @Nullable Long fencingToken,
            @Nullable Long waitingInstances,
            @Nullable List<ReaderReport> readers,
            @Nullable String problem) {

        public enum State {
            HELD,
            /** Held by a disconnected instance: another one takes the lock over unless the owner renews it first. */
            IN_DOUBT,
            /** Held by readers. */
            READ,
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
                        state(held),
                        held.holder().orElse(null),
                        millis(held.remainingLease()),
                        millis(held.inDoubtFor()),
                        held.fencingToken(),
                        held.waitingInstances(),
                        null,
                        null);
            }
            if (stored instanceof StoredLock.Read read) {
                List<ReaderReport> readers = read.readers().entrySet().stream()
                        .map(reader -> ReaderReport.of(reader.getKey(), reader.getValue()))
                        .toList();
                return new StoredLockReport(State.READ, null, null, null, null, read.waitingInstances(), readers, null);
            }
            if (stored instanceof StoredLock.Kept kept) {
                long remaining = kept.remaining().toMillis();
                return new StoredLockReport(
                        State.KEPT, null, remaining, null, kept.fencingToken(), kept.waitingInstances(), null, null);
            }
            if (stored instanceof StoredLock.Free free) {
                Long fencingToken = free.fencingToken() == 0 ? null : free.fencingToken();
                Long remaining =
                        free.recovering().isZero() ? null : free.recovering().toMillis();
                State state = remaining == null ? State.FREE : State.RECOVERING;
                return new StoredLockReport(
                        state, null, remaining, null, fencingToken, free.waitingInstances(), null, null);
            }
            return new StoredLockReport(
                    State.UNKNOWN, null, null, null, null, null, null, ((StoredLock.Unknown) stored).reason());
        }

        private static State state(StoredLock.Held held) {
            return held.inDoubtFor().isPresent() ? State.IN_DOUBT : State.HELD;
        }

        /** A reader's hold, see {@link StoredLockReport}; held or in doubt. */
        public record ReaderReport(
                State state,
                int slot,
                @Nullable LockHolder holder,
                @Nullable Long remainingMs,
                @Nullable Long inDoubtForMs,
                long fencingToken) {

            static ReaderReport of(int slot, StoredLock.Held held) {
                return new ReaderReport(
                        StoredLockReport.state(held),
                        slot,
                        held.holder().orElse(null),
                        millis(held.remainingLease()),
                        millis(held.inDoubtFor()),
                        held.fencingToken());
            }
        }

        private static @Nullable Long millis(Optional<Duration> duration) {
            return duration.map(Duration::toMillis).orElse(null);
        }
    }
}
