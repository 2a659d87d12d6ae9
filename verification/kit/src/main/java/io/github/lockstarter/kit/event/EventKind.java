package io.github.lockstarter.kit.event;

/** Kinds of {@link LabEvent}, and what their fields mean there. A field that is not named is empty. */
public enum EventKind {
    /** A worker runs. {@code note}: its client, {@code amount}: its default lease in ns. */
    STARTED,
    /**
     * The store of a worker: {@code note}: whom a release wakes, {@code amount}: the time-out in ns of the session with
     * which the locks of an instance end, 0 if each has a lease of its own, {@code until}: how many ns longer a lock of
     * a dead holder may stay with each election of a leader.
     */
    STORE,
    /** A worker has ended in an orderly way, and all its callers have been answered. */
    ENDED,
    /**
     * A hold that the application may use: {@code from} the request, {@code until} its deadline, {@code amount} the
     * wait in ns, {@code note} the path. {@code until <= at}: its lease was over when the application got it.
     */
    ACQUIRED,
    /** A hold was seen to be valid at {@code at}; its deadline is {@code until}, or later. */
    EXTENDED,
    /** A hold was seen to be certain at {@code at}, or later. */
    CERTAIN,
    /**
     * The application is about to release. {@code until}: the deadline if it still held then, else 0. {@code from}:
     * when the hold was last seen to be certain, or 0. {@code note}: what became of its fenced write. Written before
     * the release is sent, so a hold that lacks it was not released by the application.
     */
    RELEASING,
    /** The release has returned {@code note}. */
    RELEASED,
    /** The loss was signalled to the application. */
    LOST,
    /**
     * A request, of {@code from} and with a wait of {@code amount} ns, ended without the lock because of {@code note}.
     */
    REFUSED,
    /**
     * The backend granted the lock to lock token {@code amount}, from fencing token {@code token} on, and {@code until}
     * other instances were waiting. {@code from}: the take-over time in ns that the lock token promises, 0 for none.
     */
    GRANTED,
    /**
     * An attempt of token {@code amount} is about to be sent to a quorum: votes that do not suffice are given back.
     * Where locks end with a session, an attempt that failed was sent: it may have come first, and have left again.
     */
    ATTEMPTING,
    /** An attempt was sent to a store other than Redis at {@code from}, and answered, late, at {@code until}. */
    ANSWERED_LATE,
    /** A release of token {@code amount} is about to be sent. */
    FREEING,
    /**
     * The end of a wait, of token {@code amount}, is about to be sent. In the simulation: a server has executed it,
     * perhaps a second time.
     */
    WITHDRAWING,
    /** A renewal of token {@code amount} is about to be sent. */
    RENEWING,
    /** The client reported to its listeners that a hold is lost, because of {@code note}. */
    LOSS_REPORTED,
    /** The client reported that a hold is in doubt. */
    IN_DOUBT,
    /** The client reported that a hold is certain again, {@code amount} ns after it had reported the doubt. */
    CONFIRMED,
    /** No caller asks for more than {@code amount} permits of a lock; without this event, for more than one. */
    PERMITS,
    /** The instance was told that the lock may be free. */
    SIGNALLED,
    /** The instance was told that another one waits. */
    WANTED,
    /** The threads of the worker stood still between {@code from} and {@code until}. */
    STALLED,
    /** Something that must not be was seen as it happened; {@code note}: what, after the name of the invariant. */
    ANOMALY,
    /**
     * The resource's number of a key at the end is {@code from} after {@code amount} writes; {@code note}: which
     * number.
     */
    RESOURCE,
    /** The nemesis did {@code note} to {@code key}, between {@code from} and {@code until}. */
    FAULT,
    /** The worker was killed: it certainly ran until {@code from}, and no more at {@code until}. */
    KILLED
}
