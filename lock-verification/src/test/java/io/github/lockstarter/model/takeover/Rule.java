package io.github.lockstarter.model.takeover;

import java.util.EnumSet;

/** A rule of {@code docs/internals/crash-take-over.md}; each can be left out. */
enum Rule {

    /** The taker waits for T after the mark, not for a tick less. */
    TAKER_WAITS_T,

    /** A heartbeat counts from the time at which it was sent, not from that of its answer. */
    BEAT_COUNTS_FROM_SENDING,

    /** A hold is certain by a heartbeat only if it was confirmed in the epoch of that heartbeat. */
    EPOCH_NEEDS_CONFIRMATION,

    /** A renewal deletes the mark. */
    RENEWAL_DELETES_MARK,

    /** The mark goes with the lock token. */
    MARK_NAMES_TOKEN,

    /** No mark is written while the history of the server is younger than the grace. */
    NO_MARK_IN_GRACE,

    /** No lock is taken over while the history of the server is younger than the grace. */
    NO_TAKE_OVER_IN_GRACE,

    /** A heartbeat asks the server of the commands, and not that of the mailbox. */
    BEAT_ASKS_COMMAND_SERVER,

    /** A heartbeat asks for the present connection, and not for any that has subscribed the mailbox. */
    BEAT_ASKS_FOR_ITS_CONNECTION,

    /** A heartbeat counts only if the number of the connection is the same before and after it. */
    BEAT_COMPARES_CONNECTION,

    /** A connection loses its number with the disconnect, not only when the next one has subscribed. */
    NUMBER_ENDS_WITH_DISCONNECT,

    /** A heartbeat that was not heard ends the epoch. */
    UNHEARD_ENDS_EPOCH,

    /** A heartbeat without an answer ends the epoch. */
    FAILURE_ENDS_EPOCH,

    /** An epoch ends when the last good heartbeat is T old. */
    LAPSE_ENDS_EPOCH,

    /** Another connection for commands ends the epoch too. */
    NUMBER_COVERS_COMMANDS,

    /**
     * While the history of the server is younger than the grace, the answer to a renewal confirms only a hold that is
     * certain. It gives every hold time.
     */
    YOUNG_HISTORY_CONFIRMS_CERTAIN_ONLY,

    /** A hold to which such an answer came while it was in doubt is never certain again. */
    DOUBT_OUTLIVES_THE_GRACE,

    /**
     * In place of {@link #YOUNG_HISTORY_CONFIRMS_CERTAIN_ONLY}: while the history is younger than the grace, a renewal
     * of a marked lock writes the mark anew, a reclaim writes one, and either gives time alone.
     */
    YOUNG_HISTORY_RENEWS_MARKS,

    /**
     * In place of {@link #YOUNG_HISTORY_CONFIRMS_CERTAIN_ONLY}: a grant counts for the taker only when the replica has
     * acknowledged it.
     */
    GRANTS_ARE_ACKNOWLEDGED;

    /** The protocol. */
    static EnumSet<Rule> all() {
        return EnumSet.range(TAKER_WAITS_T, DOUBT_OUTLIVES_THE_GRACE);
    }
}
