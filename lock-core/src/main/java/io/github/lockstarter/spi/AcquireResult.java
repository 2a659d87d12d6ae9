package io.github.lockstarter.spi;

import io.github.lockstarter.LockHolder;
import java.time.Duration;
import java.util.Optional;

/** Outcome of an {@link AcquireCommand}. */
public sealed interface AcquireResult {

    /**
     * The token has the lock. An instance that waits, and says its position, waits no longer.
     *
     * @param fencingToken the first of as many as were asked for; strictly greater than every earlier one of this key,
     *     all of them below 2<sup>53</sup>
     * @param othersWaiting how many other instances were registered as waiters at the grant; perhaps 0 where only one
     *     fencing token was requested by an instance without a position: the store does not count then
     * @param takenOverFrom the owner that had the lock, whose instance has crashed or was cut off; empty if it was free
     * @param history which history of the store has granted it, as {@link CrashDetection.Beat#history} names it
     * @param slot which one; 0 for a lock with one permit
     */
    record Granted(long fencingToken, long othersWaiting, Optional<LockHolder> takenOverFrom, String history, int slot)
            implements AcquireResult {

        /**
         * A grant of a lock with one permit.
         *
         * @param fencingToken the first of as many as were asked for
         * @param othersWaiting how many other instances were registered as waiters
         * @param takenOverFrom the owner that had the lock
         * @param history which history of the store has granted it
         */
        public Granted(long fencingToken, long othersWaiting, Optional<LockHolder> takenOverFrom, String history) {
            this(fencingToken, othersWaiting, takenOverFrom, history, 0);
        }

        /**
         * A grant of a lock that was free, by a store that has one history.
         *
         * @param fencingToken the first of as many as were asked for
         * @param othersWaiting how many other instances were registered as waiters
         */
        public Granted(long fencingToken, long othersWaiting) {
            this(fencingToken, othersWaiting, Optional.empty(), "");
        }
    }

    /**
     * Another owner has the lock, or the lock is kept: its last owner released it before its minimum time was over.
     *
     * @param remainingLease of the other owner, empty if it never ends by itself, or ends with the owner's session; or
     *     the rest of the minimum time
     * @param position of this instance among the waiters; {@link AcquireCommand.Waiting#NEW} if it does not wait
     * @param holder the owner, if its token names it
     * @param kept whether the lock has no owner, and is kept for the rest of the minimum time
     * @param lookAgain when to look again at the latest: since the lock is taken over if its owner has crashed, or
     *     since the store signals nobody; empty if neither is so
     */
    record Contended(
            Optional<Duration> remainingLease,
            long position,
            Optional<LockHolder> holder,
            boolean kept,
            Optional<Duration> lookAgain)
            implements AcquireResult {

        /**
         * A lock that is not taken over.
         *
         * @param remainingLease of the other owner, or the rest of the minimum time
         * @param position of this instance among the waiters
         * @param holder the owner, if its token names it
         * @param kept whether the lock has no owner
         */
        public Contended(Optional<Duration> remainingLease, long position, Optional<LockHolder> holder, boolean kept) {
            this(remainingLease, position, holder, kept, Optional.empty());
        }

        /**
         * Another owner has the lock.
         *
         * @param remainingLease of the other owner; empty if no end of it is known
         * @param position of this instance among the waiters
         * @param holder the owner, if its token names it
         */
        public Contended(Optional<Duration> remainingLease, long position, Optional<LockHolder> holder) {
            this(remainingLease, position, holder, false);
        }

        /**
         * An owner whose token does not name it has the lock.
         *
         * @param remainingLease of the other owner; empty if no end of it is known
         * @param position of this instance among the waiters
         */
        public Contended(Optional<Duration> remainingLease, long position) {
            this(remainingLease, position, Optional.empty());
        }
    }

    /**
     * The store may have forgotten locks and grants none for a while.
     *
     * @param retryAfter when to try again
     * @param problem what happened to which store, as far as that is known, without a full stop
     */
    record Recovering(Duration retryAfter, String problem) implements AcquireResult {

        /**
         * A store of which no more is known.
         *
         * @param retryAfter when to try again
         */
        public Recovering(Duration retryAfter) {
            this(retryAfter, "the lock store may have forgotten locks");
        }
    }

    /**
     * Certainly not acquired, and not because of another owner.
     *
     * @param reason what failed and what to do
     * @param cause the store's or the client's failure
     */
    record Rejected(String reason, Throwable cause) implements AcquireResult, FailedResult {}

    /**
     * Certainly not acquired, and not because of another owner: the store cannot grant anything right now, such as
     * while its servers change roles. A waiter may try again.
     *
     * @param reason what failed and what to do
     * @param cause the store's or the client's failure
     */
    record Unavailable(String reason, Throwable cause) implements AcquireResult, FailedResult {}

    /**
     * Perhaps acquired: no answer came, or the lock is stored less safely than configured. The caller cleans up with a
     * release of the same token.
     *
     * @param reason what failed and what to do
     * @param cause the client's failure
     */
    record Unknown(String reason, Throwable cause) implements AcquireResult, FailedResult {}
}
