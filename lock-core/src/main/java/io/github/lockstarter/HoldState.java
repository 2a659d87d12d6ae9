package io.github.lockstarter;

/** What an instance knows of a lock that it was granted; from held to the farthest from it. */
public enum HoldState {
    /** It is held: no other owner can have it. */
    HELD,
    /**
     * It is not certain at the moment that the lock is held: another instance may have taken it over, since the store
     * has not answered for {@code distributed-lock.crash-takeover}, as after a pause of the JVM, or has failed over. It
     * is held again once the store answers, or else lost. If the store was restarted meanwhile, and may have forgotten
     * a take-over, it stays in doubt, and {@link LockHandle#ensureHeld()} fails.
     */
    IN_DOUBT,
    /** It was lost. */
    LOST,
    /** It was released. */
    RELEASED
}
