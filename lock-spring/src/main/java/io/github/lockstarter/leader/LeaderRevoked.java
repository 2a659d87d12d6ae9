package io.github.lockstarter.leader;

/**
 * Application event: this instance leads a role no more. Follows the {@link LeaderGranted} with the same term. It does
 * not compete for the role again until the listeners have returned, and a lock that is not lost is released behind
 * them.
 *
 * @param role the role
 * @param term of the leadership that has ended
 * @param cause why it has ended
 */
public record LeaderRevoked(String role, long term, Cause cause) {

    /** Why a leadership has ended. */
    public enum Cause {
        /** The lock was lost: another instance may lead already. */
        LOST,
        /** {@link Leadership#yield} was called. */
        YIELDED,
        /** The application is closed or paused. */
        STOPPED
    }
}
