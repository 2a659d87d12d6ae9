package io.github.lockstarter.leader;

import java.time.Duration;
import java.util.OptionalLong;

/** One role, led by at most one of the instances that share the lock store. Thread-safe. */
public interface Leadership {

    /**
     * Whether this instance certainly leads now, by the local clock. False in doubt, see {@link
     * io.github.lockstarter.LockHandle#isHeld()}; a doubt causes no event.
     *
     * @return true on at most one instance
     */
    default boolean isLeader() {
        return term().isPresent();
    }

    /**
     * {@return the fencing token of the leader's lock, greater than those of all previous leaders; empty unless {@link
     * #isLeader()}}
     */
    OptionalLong term();

    /**
     * Throws unless this instance leads. In doubt, blocks like {@link io.github.lockstarter.LockHandle#ensureHeld()}.
     *
     * @throws io.github.lockstarter.LockNotAcquiredException if this instance does not lead
     * @throws io.github.lockstarter.LockLostException if it has just lost the leadership
     * @throws io.github.lockstarter.LockBackendException if the leadership is in doubt and the store does not answer
     * @throws IllegalStateException if it is just yielding or stopping
     */
    void ensureLeader();

    /**
     * Gives up the leadership to another instance. No {@link LeaderOnly} method starts here any more; the lock is
     * released after the listeners of {@link LeaderRevoked} and the running methods. Returns at once; does nothing
     * unless this instance leads.
     *
     * @param pause until this instance competes again, up to 365 days
     * @throws IllegalArgumentException if the pause is negative or longer
     */
    @SuppressWarnings("NamedLikeContextualKeyword") // always qualified, like Thread.yield()
    void yield(Duration pause);
}
