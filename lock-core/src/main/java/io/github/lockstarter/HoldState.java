package io.github.lockstarter;

/** What an instance knows of a lock that it was granted; from held to the farthest from it. */
public enum HoldState {
    /** It is held: no other owner can have it. */
    HELD,
    /**
     * It is not certain at the moment that the lock is held: another instance may have taken it over, since the
     * connection to the store was interrupted, or the store has not answered for {@code
     * distributed-lock.crash-takeover}, as also after a pause of the JVM. It is held again once the store confirms it,
     * or else lost. If the store was restarted or failed over meanwhile, it stays in doubt, and {@link
     * LockHandle#ensureHeld()} fails.
     */
    IN_DOUBT,
    /** It was lost. */
    LOST,
    /** It was released. */
    RELEASED
}
