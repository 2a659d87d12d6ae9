package io.github.lockstarter.leader;

import java.time.Duration;
import java.util.OptionalLong;

/**
 * What this instance of the application knows of one role. At most one instance is the leader of a role, over all that
 * share a lock store. Thread-safe.
 */
public interface Leadership {

    /**
     * Whether this instance certainly leads at this moment, from the local clock; no network. False while it is in
     * doubt, as {@link io.github.lockstarter.LockHandle#isHeld()} is; that is no reason for an event.
     *
     * @return true on one instance at most
     */
    default boolean isLeader() {
        return term().isPresent();
    }

    /**
     * The number of this leadership: the fencing token of the leader's lock, greater than that of every leader of the
     * role before. A resource that refuses smaller ones refuses a leader that was paused.
     *
     * @return the term; empty unless {@link #isLeader()}
     */
    OptionalLong term();

    /**
     * Throws unless this instance leads. If that is in doubt, asks the store, and blocks as
     * {@link io.github.lockstarter.LockHandle#ensureHeld()} does.
     *
     * @throws io.github.lockstarter.LockNotAcquiredException when this instance does not lead
     * @throws io.github.lockstarter.LockLostException when it has just lost the leadership
     * @throws io.github.lockstarter.LockBackendException when it is in doubt, and the store does not answer
     * @throws IllegalStateException when it yields or stops at this moment
     */
    void ensureLeader();

    /**
     * Gives up the leadership, so that another instance gets it. From now on no method with {@link LeaderOnly} begins
     * here. The lock is released when the listeners of {@link LeaderRevoked} have returned and the methods that run
     * have ended; this instance competes again after the pause, counted from then. Returns at once; does nothing on an
     * instance that does not lead.
     *
     * @param pause up to 365 days; zero competes again at once, and may win again
     * @throws IllegalArgumentException when the pause is negative or longer
     */
    @SuppressWarnings("NamedLikeContextualKeyword") // always called on an object, as that of Thread is on its class
    void yield(Duration pause);
}
