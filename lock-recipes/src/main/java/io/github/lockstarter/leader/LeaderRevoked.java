package io.github.lockstarter.leader;

/**
 * Application event: this instance no longer leads a role. Follows the {@link LeaderGranted} with the same term. A lock
 * that is still held is released when all listeners have returned.
 *
 * @param role role
 * @param term ended term
 * @param cause reason
 */
public record LeaderRevoked(String role, long term, Cause cause) {

    /** Why a leadership ended. */
    public enum Cause {
        /** The lock was lost; another instance may already lead. */
        LOST,
        /** {@link Leadership#yield} was called. */
        YIELDED,
        /** The application context was closed or paused. */
        STOPPED
    }
}
