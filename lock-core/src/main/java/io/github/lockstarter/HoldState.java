package io.github.lockstarter;

/** An instance's knowledge of a lock that it was granted, from certainly held to released. */
public enum HoldState {
    /** No other owner can have the lock. */
    HELD,
    /**
     * Another instance may have taken the lock over, because the store failed over or has not answered for {@code
     * distributed-lock.crash-takeover}. The next answer makes the lock held or lost; if the store restarted meanwhile
     * and may have forgotten a takeover, the lock stays in doubt.
     */
    IN_DOUBT,
    /** The lock was lost. */
    LOST,
    /** The lock was released. */
    RELEASED
}
