package io.github.lockstarter;

/** Outcome of a release. In ascending order of severity: of several locks, the most severe one counts. */
public enum ReleaseOutcome {
    /** This handle had been released before; nothing changed. */
    ALREADY_RELEASED,
    /** A nested hold was released and the owner has others, or other readers of this instance have the lock. */
    STILL_HELD,
    /** Given up: the lock is free, kept for the rest of its minimum hold, or read and kept for the next reader. */
    RELEASED,
    /** Given up: the lock is that of a {@linkplain LockHandle#detach ticket}. */
    DETACHED,
    /**
     * Given up without waiting for the answer ({@code distributed-lock.locks.<name>.release=send}). A failure is
     * retried as for {@link #UNKNOWN}.
     */
    SENT,
    /** The backend did not answer. The release is retried in the background; the lease ends the lock at the latest. */
    UNKNOWN,
    /** The lock was lost before the release; its present owner, if any, keeps it. */
    LOST
}
