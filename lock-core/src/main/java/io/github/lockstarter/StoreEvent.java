package io.github.lockstarter;

import java.time.Duration;

/** Start or end of an outage or recovery of the lock store, as this instance detects it. Immutable. */
public sealed interface StoreEvent {

    /** {@return the store or server as messages call it, such as {@code Redis at localhost:6379}} */
    String store();

    /** {@return the affected locks} */
    Scope scope();

    /** Locks that depend on a store or server. */
    enum Scope {
        /** All locks of the store. */
        ALL,
        /** The locks of one node of a cluster. */
        PART,
        /** One vote of a quorum; locks work while enough other servers vote. */
        VOTE
    }

    /**
     * The store {@linkplain LockStoreRecoveringException may have forgotten locks}. Raised once per recovery.
     *
     * @param store store
     * @param scope affected locks
     * @param problem incident, as far as known, without a full stop
     * @param remaining time without grants
     */
    record RecoveryStarted(String store, Scope scope, String problem, Duration remaining) implements StoreEvent {}

    /**
     * The store grants free locks again, by the time in its last answer.
     *
     * @param store store
     * @param scope affected locks
     * @param lasted time since {@link RecoveryStarted}
     */
    record RecoveryEnded(String store, Scope scope, Duration lasted) implements StoreEvent {}

    /**
     * The store does not answer: a command got no answer or connection, nor did one sent afterwards. Refusals raise no
     * event.
     *
     * @param store store
     * @param scope affected locks
     * @param problem failure, without a full stop
     */
    record Unreachable(String store, Scope scope, String problem) implements StoreEvent {}

    /**
     * The store answered a command again, other than with a refusal.
     *
     * @param store store
     * @param scope affected locks
     * @param lasted time since the first failed command
     */
    record Reachable(String store, Scope scope, Duration lasted) implements StoreEvent {}
}
