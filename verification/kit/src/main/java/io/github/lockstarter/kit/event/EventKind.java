package io.github.lockstarter.kit.event;

/** Kinds of {@link LabEvent} and the meaning of their fields. Fields that are not mentioned are empty. */
public enum EventKind {
    /** A worker started. {@code note}: its client; {@code amount}: default lease in ns. */
    STARTED,
    /**
     * The store of a worker. {@code note}: instances that a release wakes; {@code amount}: session timeout in ns, 0 if
     * each lock has its own lease; {@code until}: by how many ns an election may prolong the lock of a dead holder.
     */
    STORE,
    /** A worker shut down; all its callers have returned. */
    ENDED,
    /**
     * The application received a hold. {@code from}: request; {@code until}: deadline; {@code amount}: wait in ns;
     * {@code note}: path. {@code until <= at}: the lease had already ended.
     */
    ACQUIRED,
    /** A hold was valid at {@code at}; its deadline is {@code until} or later. */
    EXTENDED,
    /** A hold was certain at {@code at} or later. */
    CERTAIN,
    /**
     * The application is about to release; logged first, so without this event the application did not release. {@code
     * until}: deadline, 0 if no longer held; {@code from}: when the hold was last certain, or 0; {@code note}: outcome
     * of the fenced write.
     */
    RELEASING,
    /** The release returned {@code note}. */
    RELEASED,
    /** The loss was signalled to the application. */
    LOST,
    /** A request of {@code from} with a wait of {@code amount} ns failed with {@code note}. */
    REFUSED,
    /**
     * The store granted the lock to lock token {@code amount}, starting at fencing token {@code token}, while {@code
     * until} other instances waited. {@code from}: takeover time of the lock token in ns, 0 for none.
     */
    GRANTED,
    /**
     * Token {@code amount} is about to send an attempt to a quorum, which gives insufficient votes back, or to read,
     * which wakes the next reader. If locks end with a session: sent a failed attempt, which may have been first in
     * line before it left.
     */
    ATTEMPTING,
    /** A store other than Redis answered an attempt of {@code from} late, at {@code until}. */
    ANSWERED_LATE,
    /** A release of token {@code amount} is about to be sent. */
    FREEING,
    /**
     * The withdrawal of waiting token {@code amount} is about to be sent. In the simulation: a server executed it,
     * perhaps a second time.
     */
    WITHDRAWING,
    /** A renewal of token {@code amount} is about to be sent. */
    RENEWING,
    /** The client reported to its listeners that a hold was lost because of {@code note}. */
    LOSS_REPORTED,
    /** The client reported that a hold is in doubt. */
    IN_DOUBT,
    /** The client reported that a hold is certain again, {@code amount} ns after the doubt. */
    CONFIRMED,
    /** The most permits of a lock that callers request; 1 without this event. {@code amount}: their number. */
    PERMITS,
    /** The instance received the signal that the lock may be free. */
    SIGNALLED,
    /** The instance received the notice that another one waits. */
    WANTED,
    /** The threads of the worker stood still between {@code from} and {@code until}. */
    STALLED,
    /** A worker detected a violation. {@code note}: invariant and description. */
    ANOMALY,
    /**
     * The final value of a number in the resource is {@code from} after {@code amount} writes. {@code note}: its kind.
     */
    RESOURCE,
    /** The nemesis did {@code note} to {@code key} between {@code from} and {@code until}. */
    FAULT,
    /** The worker was killed: alive until {@code from}, certainly dead at {@code until}. */
    KILLED
}
