package io.github.lockstarter.model.takeover;

/** What can happen beside time, closed connections, and messages that are late or lost. */
enum Fault {

    /** The replica is promoted while the old master lives on. */
    FAILOVER,

    /** The connection for commands may go back to the old master, again and again. */
    COMMANDS_GO_BACK,

    /** A server may hear a mailbox connection that the holder has given up. */
    HALF_OPEN,

    /** The holder releases the lock, and acquires it again. */
    NEW_HOLDS,

    /** Answers to renewals are late. Elsewhere they come at once or never. */
    LATE_ANSWERS,

    /** Renewals of the holder confirm, and give no time: it has switched renewal off. */
    RENEWAL_OFF
}
