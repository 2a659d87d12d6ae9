package io.github.lockstarter;

/** Outcome of a release. */
public enum ReleaseOutcome {
    /** Given up: the lock is free, or kept for the rest of its minimum time. */
    RELEASED,
    /**
     * Given up without waiting for the answer ({@code distributed-lock.locks.<name>.release=send}). A failure is
     * retried as for {@link #UNKNOWN}.
     */
    SENT,
    /** A nested hold was released; the owner has others. */
    STILL_HELD,
    /** This handle had been released before; nothing changed. */
    ALREADY_RELEASED,
    /** The lock was lost before the release; its present owner, if any, keeps it. */
    LOST,
    /** The backend did not answer. The release is retried in the background; the lease ends the lock at the latest. */
    UNKNOWN
}
