package io.github.lockstarter.model.takeover;

/** A rule of crash takeover in {@code docs/design.md}; each can be left out. */
enum Rule {

    /** The taker waits until the mark is T old, not for a tick less. */
    TAKER_WAITS_T,

    /** A beat counts from the time when it was sent, not answered. */
    BEAT_COUNTS_FROM_SENDING,

    /** A beat deletes the mark. */
    BEAT_DELETES_MARK,

    /** A takeover leaves a trace. */
    TAKEOVER_LEAVES_TRACE,

    /** A takeover whose token requires it is granted after the replica has acknowledged its trace. */
    TRACE_IS_ACKNOWLEDGED,

    /** A deposed master, which has no replica, acknowledges nothing alone. */
    ALL_REPLICAS_ACKNOWLEDGE,

    /** A grant requires a taker with the acknowledgement of the present mark's trace, not of an earlier one. */
    GRANT_COMPARES_ACKNOWLEDGED,

    /** The mark expires some time after its begin, looked at or not. */
    MARK_EXPIRES,

    /** No two marks have the same begin. */
    BEGIN_IS_GREATER_THAN_TRACE,

    /** The trace, which is written once for a mark, lives for a lease longer than the mark may lead to a takeover. */
    TRACE_OUTLIVES_LEASES,

    /** No mark is written, and no lock taken over, while the history of the server is younger than the grace. */
    NO_TAKEOVER_IN_GRACE,

    /** Another trace begins a period. */
    TRACE_CHANGES_PERIOD,

    /** Another history begins a period. */
    HISTORY_CHANGES_PERIOD,

    /** Another history voids locks that were not confirmed since the last trace was received. */
    VOID_TRACED,

    /** Another history that is detected too late voids earlier confirmations without acknowledgement. */
    VOID_UNACKED,

    /** Another history that is detected too late, of a process that may have restarted, voids earlier confirmations. */
    VOID_RESTARTED,

    /** The period of a confirmation is read before its command is sent. */
    PERIOD_READ_BEFORE_SENDING,

    /** An acquire confirms only if the history of that period has granted it. */
    GRANT_IS_OF_HISTORY,

    /** A renewal confirms only then, too, and in the period in which it was sent. */
    RENEWAL_IS_OF_HISTORY,

    /** Only such a renewal extends the lease at the holder. */
    LEASE_IS_OF_HISTORY
}
