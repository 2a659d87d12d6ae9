package io.github.lockstarter.leader;

/**
 * Application event: this instance no longer leads a role. Follows the {@link LeaderGranted} with the same term. The
 * instance competes for the role again only when the listeners have returned, and releases a lock that is not lost only
 * then.
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
