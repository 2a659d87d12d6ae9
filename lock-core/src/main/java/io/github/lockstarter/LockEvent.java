package io.github.lockstarter;

import java.time.Duration;
import java.util.Optional;

/** An event of a lock of this instance. Immutable. */
public sealed interface LockEvent {

    /** {@return the logical name of the request; few distinct values, fit for a metrics tag} */
    String name();

    /** {@return the lock's key; one value per entity, not fit for a metrics tag} */
    String key();

    /** How a lock was acquired. */
    enum Path {
        /** The first attempt found the lock free. */
        UNCONTENDED,
        /** After a wait; {@link Contended} was raised. */
        WAITED,
        /** From a holder in the same JVM, without asking the backend. */
        HANDED_OVER,
        /** Taken over from a holder whose instance had crashed or was disconnected from the store. */
        TAKEN_OVER
    }

    /** Why an acquisition failed. */
    enum Refusal {
        /** Another owner held the lock for the whole wait. */
        CONTENDED,
        /** The backend was unreachable or silent, or the client is shut down. */
        ERROR,
        /** The store may have forgotten locks and granted none when the wait ended. */
        RECOVERING,
        /** The caller was interrupted or cancelled the future. */
        INTERRUPTED
    }

    /** Outcome of a renewal. */
    enum RenewalOutcome {
        /** The lease runs for its full length again. */
        RENEWED,
        /** No answer, or an error; retried while the lease lasts. */
        FAILED,
        /** The instance no longer has the lock; {@link Lost} follows. */
        LOST
    }

    /** Reaction to a lock that no code can release. */
    enum Abandonment {
        /** Released, because the thread that owned it has ended. */
        RELEASED,
        /** Kept and renewed, because work under it may still run. */
        KEPT
    }

    /** Why a lock was lost. */
    enum LossCause {
        /** The lease ended without a successful renewal. */
        LEASE_EXPIRED,
        /** The backend no longer has the lock token: it was deleted, replaced, or expired there. */
        OWNER_CHANGED,
        /** The longest hold ({@code max-hold}) was reached and the last lease ended. */
        MAX_HOLD,
        /** The lock client was stopped without waiting for the holder. */
        SHUTDOWN,
        /** An operator took the lock away ({@link LockAdmin#revoke}). */
        REVOKED,
        /**
         * The lock was {@linkplain HoldState#IN_DOUBT in doubt} and the backend no longer has its lock token, most
         * likely because another instance took it over.
         */
        TAKEN_OVER,
        /**
         * The store restarted or failed over while the lock was in doubt, and cannot tell whether another instance took
         * the lock over.
         */
        HISTORY_CHANGED
    }

    /**
     * A lock was acquired; not raised for nested holds.
     *
     * @param name logical name
     * @param key the key
     * @param fencingToken its fencing token
     * @param waited time from the call to the grant
     * @param attempts attempts at the backend, at least 1 unless handed over
     * @param path how it was acquired
     * @param takenOverFrom the previous owner for {@link Path#TAKEN_OVER}, otherwise empty
     */
    record Acquired(
            String name,
            String key,
            long fencingToken,
            Duration waited,
            int attempts,
            Path path,
            Optional<LockHolder> takenOverFrom)
            implements LockEvent {

        /**
         * A lock that was not taken over.
         *
         * @param name logical name
         * @param key the key
         * @param fencingToken its fencing token
         * @param waited time from the call to the grant
         * @param attempts attempts at the backend
         * @param path how it was acquired
         */
        public Acquired(String name, String key, long fencingToken, Duration waited, int attempts, Path path) {
            this(name, key, fencingToken, waited, attempts, path, Optional.empty());
        }
    }

    /**
     * An acquisition starts to wait for another owner. It ends with {@link Acquired} (any path but {@link
     * Path#UNCONTENDED}) or a {@code queued} {@link NotAcquired}.
     *
     * @param name logical name
     * @param key the key
     */
    record Contended(String name, String key) implements LockEvent {}

    /**
     * An acquisition ended without the lock.
     *
     * @param name logical name
     * @param key the key
     * @param waited time from the call to its end
     * @param refusal the reason
     * @param queued whether {@link Contended} was raised
     */
    record NotAcquired(String name, String key, Duration waited, Refusal refusal, boolean queued)
            implements LockEvent {}

    /**
     * A renewal by the watchdog ended.
     *
     * @param name logical name
     * @param key the key
     * @param fencingToken its fencing token
     * @param outcome the outcome
     */
    record Renewed(String name, String key, long fencingToken, RenewalOutcome outcome) implements LockEvent {}

    /**
     * The owner released its last hold of a lock.
     *
     * @param name logical name
     * @param key the key
     * @param fencingToken its fencing token
     * @param held time from the grant to the release
     * @param outcome {@link ReleaseOutcome#RELEASED}, {@link ReleaseOutcome#LOST} or {@link ReleaseOutcome#UNKNOWN}
     */
    record Released(String name, String key, long fencingToken, Duration held, ReleaseOutcome outcome)
            implements LockEvent {}

    /**
     * An attempt found the lock free, but the store grants none for a while because it may have forgotten locks. Raised
     * for each attempt.
     *
     * @param name logical name
     * @param key the key
     * @param remaining time without grants
     */
    record Recovering(String name, String key, Duration remaining) implements LockEvent {}

    /**
     * A held lock was lost. Raised once per hold; {@link Released} follows with the owner's release.
     *
     * @param name logical name
     * @param key the key
     * @param fencingToken its fencing token
     * @param held time from the grant to the loss
     * @param cause the reason
     * @param failedRenewals consecutive failed renewals before the loss
     */
    record Lost(String name, String key, long fencingToken, Duration held, LossCause cause, int failedRenewals)
            implements LockEvent {}

    /**
     * No code can release a renewed lock, because none of its handles is reachable. Detected after a garbage
     * collection, at a renewal or at {@code distributed-lock.warn-after}. Raised once per hold and {@link Abandonment}.
     *
     * @param name logical name
     * @param key the key
     * @param fencingToken its fencing token
     * @param owner name of the acquiring thread, or {@link HeldLock#ASYNC}
     * @param held time since the grant
     * @param abandonment the reaction
     */
    record Abandoned(String name, String key, long fencingToken, String owner, Duration held, Abandonment abandonment)
            implements LockEvent {}

    /**
     * A lock has been held for {@code distributed-lock.warn-after}, at most once per hold. It may have been released
     * since.
     *
     * @param name logical name
     * @param key the key
     * @param fencingToken its fencing token
     * @param held time since the grant
     * @param thread the acquiring thread; empty if acquired asynchronously
     */
    record HeldLong(String name, String key, long fencingToken, Duration held, Optional<Thread> thread)
            implements LockEvent {}

    /**
     * A lock came {@linkplain HoldState#IN_DOUBT into doubt}. Raised once per doubt, up to a quarter of {@code
     * distributed-lock.crash-takeover} after it began; {@link Confirmed}, {@link Lost} or a release ends it.
     *
     * @param name logical name
     * @param key the key
     * @param fencingToken its fencing token
     * @param held time since the grant
     */
    record InDoubt(String name, String key, long fencingToken, Duration held) implements LockEvent {}

    /**
     * The store confirmed that a lock in doubt is held.
     *
     * @param name logical name
     * @param key the key
     * @param fencingToken its fencing token
     * @param inDoubtFor time since {@link InDoubt}
     */
    record Confirmed(String name, String key, long fencingToken, Duration inDoubtFor) implements LockEvent {}
}
