package io.github.lockstarter;

/** The outcome of a release. */
public enum ReleaseOutcome {
    /** The hold is given up: the lock is free for others, or kept for the rest of its minimum time. */
    RELEASED,
    /**
     * The hold is given up and the release was sent; the caller does not wait for the answer, as configured by {@code
     * distributed-lock.locks.<name>.release=send}. If it fails, it is repeated as for {@link #UNKNOWN}.
     */
    SENT,
    /** A nested hold was released; the owner still has others. */
    STILL_HELD,
    /** This handle had been released before; nothing was done. */
    ALREADY_RELEASED,
    /** The lock was lost before the release; its present owner, if any, keeps it. */
    LOST,
    /** The backend did not answer. The release is repeated in the background; the lease ends the lock at the latest. */
    UNKNOWN
}
