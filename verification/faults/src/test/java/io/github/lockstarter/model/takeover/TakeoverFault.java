package io.github.lockstarter.model.takeover;

/** Faults besides time, closed mailbox connections, and messages that are late, lost or executed twice. */
enum TakeoverFault {

    /** The replica is promoted, and the old master continues to execute writes for w. */
    FAILOVER,

    /** The only server restarts, with its data of any earlier time or none. */
    RESTART,

    /** The same for a master with replicas, none of which is promoted: it may lose data that they have acknowledged. */
    MASTER_RESTART,

    /** Beats and commands are executed at any time after they were sent, perhaps again. Elsewhere at once, or never. */
    LATE_EXECUTION,

    /** Two beats are under way at once. */
    TWO_BEATS,

    /** The holder releases the lock, and acquires it again. */
    NEW_HOLDS,

    /** Renewals of the holder confirm, and do not extend the lease: renewal is switched off. */
    RENEWAL_OFF
}
