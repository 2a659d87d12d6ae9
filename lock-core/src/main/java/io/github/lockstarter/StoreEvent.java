package io.github.lockstarter;

import java.time.Duration;

/**
 * Something that happened to the store of the locks, as this instance sees it: an outage or a recovery, each with one
 * event when it begins and one when it is over. Immutable.
 */
public sealed interface StoreEvent {

    /**
     * Which store, or which server of it.
     *
     * @return as messages call it, such as {@code Redis at localhost:6379}
     */
    String store();

    /**
     * Which locks the event is about.
     *
     * @return the scope
     */
    Scope scope();

    /** What depends on a store or a server. */
    enum Scope {
        /** All locks of the store. */
        ALL,
        /** The locks whose keys are on one node of a cluster. */
        PART,
        /** One vote of a quorum; locks are granted and kept as long as enough of the others vote. */
        VOTE
    }

    /**
     * The store may have forgotten locks, and grants no free ones for a while. Held locks stay held and are renewed.
     * Seen by the first answer of the store that says so, and raised once for all of them.
     *
     * @param store which store
     * @param scope which locks
     * @param problem what happened to the store, as far as that is known, without a full stop
     * @param remaining for how much longer no free lock is granted
     */
    record RecoveryStarted(String store, Scope scope, String problem, Duration remaining) implements StoreEvent {}

    /**
     * The store grants free locks again, by what it said last of how long it refuses.
     *
     * @param store which store
     * @param scope which locks
     * @param lasted time since {@link RecoveryStarted}
     */
    record RecoveryEnded(String store, Scope scope, Duration lasted) implements StoreEvent {}

    /**
     * The store does not answer: a command had no answer, or no connection could be opened for it, and neither had one
     * that was sent after that. A single command without an answer raises no event, and neither does a refusal.
     *
     * @param store which store
     * @param scope which locks
     * @param problem what failed, without a full stop
     */
    record Unreachable(String store, Scope scope, String problem) implements StoreEvent {}

    /**
     * The store has answered a command again, other than with a refusal.
     *
     * @param store which store
     * @param scope which locks
     * @param lasted time since the first command that failed
     */
    record Reachable(String store, Scope scope, Duration lasted) implements StoreEvent {}
}
