package io.github.lockstarter;

import java.time.Duration;
import java.util.Optional;

/** An event of a lock of this instance. Immutable. {@code held} counts from the grant. */
public sealed interface LockEvent {

    /** {@return the logical name, fit for a metrics tag} */
    String name();

    /** {@return the key, not fit for a metrics tag} */
    String key();

    /** {@return the fencing token; 0 if the event concerns no hold} */
    default long fencingToken() {
        return 0;
    }

    /** How a lock was acquired. */
    enum Path {
        /** Without a wait: the first attempt found the lock free, or a reader followed another of its instance. */
        UNCONTENDED,
        /** After a wait that began with {@link Contended}. */
        WAITED,
        /** From a holder in this JVM, without a command. */
        HANDED_OVER,
        /** Taken over from a crashed or disconnected instance. */
        TAKEN_OVER
    }

    /** Why an acquisition failed. */
    enum Refusal {
        /** Another owner held the lock for the whole wait. */
        CONTENDED,
        /** The backend was unreachable, or refused. */
        ERROR,
        /** See {@link LockStoreRecoveringException}. */
        RECOVERING,
        /** The caller was interrupted or cancelled the future, or the client is shut down. */
        INTERRUPTED
    }

    /** Outcome of a renewal. */
    enum RenewalOutcome {
        /** The lease runs for its full length again. */
        RENEWED,
        /** No answer, or an error; retried during the lease. */
        FAILED,
        /** The lock is gone; {@link Lost} follows. */
        LOST
    }

    /** Reaction to a lock that no code can release. */
    enum Abandonment {
        /** Released, because the owning thread has ended. */
        RELEASED,
        /** Kept and renewed, because work under it may run. */
        KEPT
    }

    /** Why a lock was lost. */
    enum LossCause {
        /** The lease ended without a successful renewal. */
        LEASE_EXPIRED,
        /** The lock was deleted, replaced or expired in the store. */
        OWNER_CHANGED,
        /** The maximum hold ({@code max-hold}) was reached and the last lease ended. */
        MAX_HOLD,
        /** The lock client stopped without waiting for the holder. */
        SHUTDOWN,
        /** Revoked by an operator ({@link LockAdmin#revoke}). */
        REVOKED,
        /**
         * The lock was {@linkplain HoldState#IN_DOUBT in doubt} and is gone, most likely taken over by another
         * instance.
         */
        TAKEN_OVER,
        /**
         * While the lock was in doubt, the store restarted or failed over, and cannot tell whether it was taken over.
         */
        HISTORY_CHANGED
    }

    /**
     * A lock was acquired; not raised for nested holds.
     *
     * @param name logical name
     * @param key key
     * @param fencingToken fencing token
     * @param waited time from the call to the grant
     * @param attempts attempts at the backend; 0 only without a command
     * @param path how it was acquired
     * @param takenOverFrom previous owner for {@link Path#TAKEN_OVER}
     */
    record Acquired(
            String name,
            String key,
            long fencingToken,
            Duration waited,
            int attempts,
            Path path,
            Optional<LockHolder> takenOverFrom)
            implements LockEvent {}

    /**
     * A reader joined a hold that other readers of this instance have, without a command. The hold has one {@link
     * Acquired} and one {@link Released}.
     *
     * @param name logical name
     * @param key key
     * @param fencingToken fencing token of the hold
     * @param waited time from the call to its end
     * @param queued whether {@link Contended} was raised
     */
    record Joined(String name, String key, long fencingToken, Duration waited, boolean queued) implements LockEvent {}

    /**
     * An acquisition starts to wait for another owner; {@link Acquired}, or a {@code queued} {@link Joined} or {@link
     * NotAcquired}, ends the wait.
     *
     * @param name logical name
     * @param key key
     */
    record Contended(String name, String key) implements LockEvent {}

    /**
     * An acquisition ended without the lock.
     *
     * @param name logical name
     * @param key key
     * @param waited time from the call to its end
     * @param refusal reason
     * @param queued whether {@link Contended} was raised
     */
    record NotAcquired(String name, String key, Duration waited, Refusal refusal, boolean queued)
            implements LockEvent {}

    /**
     * A renewal by the watchdog ended.
     *
     * @param name logical name
     * @param key key
     * @param fencingToken fencing token
     * @param outcome outcome
     */
    record Renewed(String name, String key, long fencingToken, RenewalOutcome outcome) implements LockEvent {}

    /**
     * The owner released its last hold of a lock.
     *
     * @param name logical name
     * @param key key
     * @param fencingToken fencing token
     * @param held time to the release
     * @param outcome {@link ReleaseOutcome#RELEASED}, {@link ReleaseOutcome#DETACHED}, {@link ReleaseOutcome#LOST} or
     *     {@link ReleaseOutcome#UNKNOWN}
     */
    record Released(String name, String key, long fencingToken, Duration held, ReleaseOutcome outcome)
            implements LockEvent {}

    /**
     * An attempt found the lock free, but the store {@linkplain LockStoreRecoveringException may have forgotten} its
     * owner.
     *
     * @param name logical name
     * @param key key
     * @param remaining time without grants
     */
    record Recovering(String name, String key, Duration remaining) implements LockEvent {}

    /**
     * A held lock was lost. Raised once per hold; {@link Released} follows with the owner's release.
     *
     * @param name logical name
     * @param key key
     * @param fencingToken fencing token
     * @param held time to the loss
     * @param cause cause
     * @param failedRenewals consecutive failed renewals before the loss
     */
    record Lost(String name, String key, long fencingToken, Duration held, LossCause cause, int failedRenewals)
            implements LockEvent {}

    /**
     * No handle of a renewed lock is reachable. Detected after a garbage collection, at a renewal or at {@code
     * distributed-lock.warn-after}. Raised once per hold and {@link Abandonment}.
     *
     * @param name logical name
     * @param key key
     * @param fencingToken fencing token
     * @param owner as {@link HeldLock#owner}
     * @param held time so far
     * @param abandonment reaction
     */
    record Abandoned(String name, String key, long fencingToken, String owner, Duration held, Abandonment abandonment)
            implements LockEvent {}

    /**
     * A lock was held for {@code distributed-lock.warn-after}, or twice, four times … as long; it may have been
     * released since. Not for a request for the {@linkplain LockRequest#maxHold longest possible hold}.
     *
     * @param name logical name
     * @param key key
     * @param fencingToken fencing token
     * @param held time so far
     * @param thread acquiring thread; empty if acquired asynchronously
     */
    record HeldLong(String name, String key, long fencingToken, Duration held, Optional<Thread> thread)
            implements LockEvent {}

    /**
     * A lock came {@linkplain HoldState#IN_DOUBT into doubt} up to a quarter of {@code distributed-lock.crash-takeover}
     * ago; {@link Confirmed}, {@link Lost} or a release ends the doubt.
     *
     * @param name logical name
     * @param key key
     * @param fencingToken fencing token
     * @param held time so far
     */
    record InDoubt(String name, String key, long fencingToken, Duration held) implements LockEvent {}

    /**
     * The store confirmed that a lock in doubt is held.
     *
     * @param name logical name
     * @param key key
     * @param fencingToken fencing token
     * @param inDoubtFor time since {@link InDoubt}
     */
    record Confirmed(String name, String key, long fencingToken, Duration inDoubtFor) implements LockEvent {}
}
