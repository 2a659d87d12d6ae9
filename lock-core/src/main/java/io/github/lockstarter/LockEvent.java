package io.github.lockstarter;

import java.time.Duration;
import java.util.Optional;

/** Something that happened to a lock of this instance. Immutable. */
public sealed interface LockEvent {

    /**
     * Logical name of the request: few distinct values, fit for a metrics tag.
     *
     * @return the name
     */
    String name();

    /**
     * The lock's key: as many values as there are entities, not fit for a metrics tag.
     *
     * @return the key
     */
    String key();

    /** Whether an acquisition had to wait for another owner. */
    enum Path {
        /** The first attempt found the lock free. */
        UNCONTENDED,
        /** It waited; {@link Contended} was raised. */
        WAITED,
        /** The lock was passed on by a holder of the same JVM, without asking the backend. */
        HANDED_OVER,
        /** The lock was taken over from a holder whose instance had crashed or was cut off from the store. */
        TAKEN_OVER
    }

    /** Why an acquisition ended without the lock. */
    enum Refusal {
        /** Another owner held the lock for the whole wait. */
        CONTENDED,
        /** The backend was unreachable or did not answer, or the client is shut down. */
        ERROR,
        /** The store may have forgotten locks, and granted no free ones at the end of the wait. */
        RECOVERING,
        /** The caller was interrupted or cancelled the future. */
        INTERRUPTED
    }

    /** How a renewal ended. */
    enum RenewalOutcome {
        /** The lease runs for its full length again. */
        RENEWED,
        /** No answer, or an error; it is tried again while the lease lasts. */
        FAILED,
        /** The lock is no longer ours; {@link Lost} follows. */
        LOST
    }

    /** What the lock client does about a lock that no code can release. */
    enum Abandonment {
        /** It is released: the thread that owned it has ended. */
        RELEASED,
        /** It is kept and renewed: work under it may still run. */
        KEPT
    }

    /** Why a lock was lost. */
    enum LossCause {
        /** The lease ran out, since no renewal came through. */
        LEASE_EXPIRED,
        /** The backend no longer has the hold's lock token: it was deleted, replaced, or expired there. */
        OWNER_CHANGED,
        /** The longest hold of the lock ({@code max-hold}) was reached and the last lease ran out. */
        MAX_HOLD,
        /** The lock client was stopped while the lock was held, by code that did not wait for the holder. */
        SHUTDOWN,
        /** An operator took the lock away ({@link LockAdmin#revoke}). */
        REVOKED,
        /**
         * The lock was {@linkplain HoldState#IN_DOUBT in doubt}, and the backend no longer has the hold's lock token:
         * most likely another instance has taken the lock over; somebody may also have deleted it meanwhile.
         */
        TAKEN_OVER,
        /**
         * The store restarted or failed over while the lock was in doubt, so that it may have forgotten that another
         * instance had taken the lock over. The holder has asked, and the store cannot tell.
         */
        HISTORY_CHANGED
    }

    /**
     * A lock was acquired; not raised for nested holds.
     *
     * @param name logical name
     * @param key the lock's key
     * @param fencingToken its fencing token
     * @param waited time from the call to the grant
     * @param attempts attempts at the backend, at least 1 unless handed over
     * @param path how it was acquired
     * @param takenOverFrom the owner that it was taken over from; empty unless the path is {@link Path#TAKEN_OVER}
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
         * @param key the lock's key
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
     * An acquisition begins to wait, since another owner holds the lock. One of {@link Acquired} (with
     * {@link Path#WAITED}, {@link Path#HANDED_OVER} or {@link Path#TAKEN_OVER}) or {@link NotAcquired} (with
     * {@code queued}) ends the wait.
     *
     * @param name logical name
     * @param key the lock's key
     */
    record Contended(String name, String key) implements LockEvent {}

    /**
     * An acquisition ended without the lock.
     *
     * @param name logical name
     * @param key the lock's key
     * @param waited time from the call to its end
     * @param refusal why
     * @param queued whether {@link Contended} was raised for it
     */
    record NotAcquired(String name, String key, Duration waited, Refusal refusal, boolean queued)
            implements LockEvent {}

    /**
     * A renewal by the watchdog ended.
     *
     * @param name logical name
     * @param key the lock's key
     * @param fencingToken the hold's fencing token
     * @param outcome how
     */
    record Renewed(String name, String key, long fencingToken, RenewalOutcome outcome) implements LockEvent {}

    /**
     * The last hold of a lock was given up by its owner.
     *
     * @param name logical name
     * @param key the lock's key
     * @param fencingToken the hold's fencing token
     * @param held time from the grant to the release
     * @param outcome {@link ReleaseOutcome#RELEASED}, {@link ReleaseOutcome#LOST} or {@link ReleaseOutcome#UNKNOWN}
     */
    record Released(String name, String key, long fencingToken, Duration held, ReleaseOutcome outcome)
            implements LockEvent {}

    /**
     * An attempt found the lock free, but the store grants no free locks for a while, since it may have forgotten some.
     * Raised for each attempt: an acquisition that waits raises it again with each retry.
     *
     * @param name logical name
     * @param key the lock's key
     * @param remaining for how much longer
     */
    record Recovering(String name, String key, Duration remaining) implements LockEvent {}

    /**
     * A held lock was lost. Once per hold; a {@link Released} with {@link ReleaseOutcome#LOST} follows when its owner
     * releases it.
     *
     * @param name logical name
     * @param key the lock's key
     * @param fencingToken the hold's fencing token
     * @param held time from the grant to the loss
     * @param cause why
     * @param failedRenewals renewals in a row that had failed before
     */
    record Lost(String name, String key, long fencingToken, Duration held, LossCause cause, int failedRenewals)
            implements LockEvent {}

    /**
     * No code can release a lock that is held and renewed, since none of its handles is reachable any more. The
     * watchdog finds it at a renewal, or when the lock has been held for {@code distributed-lock.warn-after}, once the
     * garbage collector has run. Raised once per hold and {@link Abandonment}.
     *
     * @param name logical name
     * @param key the lock's key
     * @param fencingToken the hold's fencing token
     * @param owner name of the thread that acquired it, or {@link HeldLock#ASYNC}
     * @param held time from the grant until now
     * @param abandonment what is done about it
     */
    record Abandoned(String name, String key, long fencingToken, String owner, Duration held, Abandonment abandonment)
            implements LockEvent {}

    /**
     * A lock has been held for {@code distributed-lock.warn-after}. It was held when the watchdog looked, and may have
     * ended before a listener receives this. Raised at most once per hold.
     *
     * @param name logical name
     * @param key the lock's key
     * @param fencingToken the hold's fencing token
     * @param held time from the grant until now
     * @param thread the thread that acquired it: the one that works under the lock, unless the handle was passed to
     *     another thread; empty if the lock was acquired asynchronously
     */
    record HeldLong(String name, String key, long fencingToken, Duration held, Optional<Thread> thread)
            implements LockEvent {}

    /**
     * A lock is {@linkplain HoldState#IN_DOUBT in doubt}: another instance may have taken it over. {@link
     * LockHandle#isHeld} is false until {@link Confirmed}, unless the lock is {@link Lost} or released before.
     * Raised once per doubt, by the watchdog, up to a quarter of {@code distributed-lock.crash-takeover} after it
     * began.
     *
     * @param name logical name
     * @param key the lock's key
     * @param fencingToken the hold's fencing token
     * @param held time from the grant until now
     */
    record InDoubt(String name, String key, long fencingToken, Duration held) implements LockEvent {}

    /**
     * A lock that was in doubt is held: the store has confirmed it.
     *
     * @param name logical name
     * @param key the lock's key
     * @param fencingToken the hold's fencing token
     * @param inDoubtFor time since {@link InDoubt}
     */
    record Confirmed(String name, String key, long fencingToken, Duration inDoubtFor) implements LockEvent {}
}
