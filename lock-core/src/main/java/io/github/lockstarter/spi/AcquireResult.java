package io.github.lockstarter.spi;

import io.github.lockstarter.LockHolder;
import java.time.Duration;
import java.util.Optional;

/** Outcome of an {@link AcquireCommand}. */
public sealed interface AcquireResult {

    /**
     * The token has the lock. If the attempt named a position, the instance leaves the queue.
     *
     * @param fencingToken first of the requested tokens, greater than every earlier one of this key; all below
     *     2<sup>53</sup>
     * @param othersWaiting number of other waiting instances; may be 0 without counting if the attempt requested one
     *     fencing token and named no position
     * @param takenOverFrom crashed or disconnected previous owner; empty if the lock was free
     * @param history as {@link CrashDetection.Beat#history}
     * @param slot granted slot; 0 for a lock with one permit
     */
    record Granted(long fencingToken, long othersWaiting, Optional<LockHolder> takenOverFrom, String history, int slot)
            implements AcquireResult {

        /**
         * A grant of a free lock with one permit by a store with one history.
         *
         * @param fencingToken first token
         * @param othersWaiting waiting instances
         */
        public Granted(long fencingToken, long othersWaiting) {
            this(fencingToken, othersWaiting, Optional.empty(), "", 0);
        }
    }

    /**
     * Another owner has the lock, or its last owner released it before its minimum hold ended.
     *
     * @param remainingLease of the other owner, empty if unlimited, unknown or bound to a session; or the rest of the
     *     minimum hold
     * @param position of this instance in the queue; {@link AcquireCommand.Waiting#NEW} if it does not wait
     * @param holder owner, if its token names it
     * @param kept whether the lock is kept without an owner
     * @param lookAgain latest time for the next attempt, if the store takes over from crashed owners or sends no
     *     signals
     */
    record Contended(
            Optional<Duration> remainingLease,
            long position,
            Optional<LockHolder> holder,
            boolean kept,
            Optional<Duration> lookAgain)
            implements AcquireResult {

        /**
         * A lock that needs no polling.
         *
         * @param remainingLease time
         * @param position position
         * @param holder owner
         * @param kept whether it is kept
         */
        public Contended(Optional<Duration> remainingLease, long position, Optional<LockHolder> holder, boolean kept) {
            this(remainingLease, position, holder, kept, Optional.empty());
        }

        /**
         * A lock of an unnamed owner.
         *
         * @param remainingLease time
         * @param position position
         */
        public Contended(Optional<Duration> remainingLease, long position) {
            this(remainingLease, position, Optional.empty(), false);
        }
    }

    /**
     * The store may have forgotten locks and grants none for a while.
     *
     * @param retryAfter time until the next attempt
     * @param problem store and incident, as far as known, without a full stop
     */
    record Recovering(Duration retryAfter, String problem) implements AcquireResult {}

    /**
     * Certainly not acquired, for another reason than an owner.
     *
     * @param reason failure and remedy
     * @param cause failure
     */
    record Rejected(String reason, Throwable cause) implements AcquireResult, FailedResult {}

    /**
     * Certainly not acquired, because the store grants nothing now, as during a failover. A waiter may retry.
     *
     * @param reason failure and remedy
     * @param cause failure
     */
    record Unavailable(String reason, Throwable cause) implements AcquireResult, FailedResult {}

    /**
     * Possibly acquired: no answer, or stored less safely than configured. The caller releases the token.
     *
     * @param reason failure and remedy
     * @param cause failure
     */
    record Unknown(String reason, Throwable cause) implements AcquireResult, FailedResult {}
}
