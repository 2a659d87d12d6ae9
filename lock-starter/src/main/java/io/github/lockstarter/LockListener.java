package io.github.lockstarter;

/**
 * Is told what happens to the locks of this instance. Declare beans of this type; all of them are called.
 *
 * <p>Called on the thread that made the transition, which may be an event loop or the watchdog: return at once, never
 * block, and do not stop the lock client from here. Only {@link #onLost} comes on a thread of its own. An exception is logged and harms nobody. Must be
 * thread-safe: events of different locks come concurrently, those of one hold in order except {@code onLost}.
 */
public interface LockListener {

    /**
     * A lock was acquired.
     *
     * @param event what was acquired and how
     */
    default void onAcquired(LockEvent.Acquired event) {}

    /**
     * An acquisition begins to wait.
     *
     * @param event what it waits for
     */
    default void onContended(LockEvent.Contended event) {}

    /**
     * An acquisition ended without the lock.
     *
     * @param event which one and why
     */
    default void onNotAcquired(LockEvent.NotAcquired event) {}

    /**
     * A renewal ended.
     *
     * @param event which one and how
     */
    default void onRenewed(LockEvent.Renewed event) {}

    /**
     * A lock was given up by its owner.
     *
     * @param event which one and how
     */
    default void onReleased(LockEvent.Released event) {}

    /**
     * A lock was lost.
     *
     * @param event which one and why
     */
    default void onLost(LockEvent.Lost event) {}
}
