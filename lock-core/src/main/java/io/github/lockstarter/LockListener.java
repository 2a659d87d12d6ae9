package io.github.lockstarter;

/**
 * Receives the events of the locks of this instance and of their store. Declare beans of this type: every bean receives
 * every event, in the order of the beans ({@code @Order}).
 *
 * <p>Each bean has its own thread, which delivers one event after the other: a bean may block without delaying locks or
 * other listeners. Its queue holds up to {@value #MOST_PENDING} events; further ones are dropped, and a warning says
 * how many. Losses have a second queue of the same size, so that other events never displace them.
 *
 * <p>A listener that {@link #returnsAtOnce}, and every listener that is passed to an engine directly, is called on the
 * thread that made the transition, which may be an event loop or the watchdog; only {@link #onLost} is called on
 * another thread. Such a listener must be thread-safe, and must not stop the lock client. Events of different locks
 * arrive concurrently, those of one hold in order except {@code onLost} and {@code onHeldLong}.
 *
 * <p>Exceptions are logged and ignored.
 */
public interface LockListener {

    /** Capacity of a listener bean's queue of losses, and of its queue of other events; further ones are dropped. */
    int MOST_PENDING = 1_000;

    /**
     * Whether every method returns at once, whatever happens, so that it may be called on the thread that made the
     * transition. A listener that says so and blocks delays locks. Other beans are called on a thread of their own.
     *
     * @return false unless overridden
     */
    default boolean returnsAtOnce() {
        return false;
    }

    /**
     * Called for every event of a lock, before the method for its type. Override it to handle all of them in one place.
     * Losses come on another thread than the other events, as with {@link #onLost}.
     *
     * @param event what happened
     */
    default void onEvent(LockEvent event) {}

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
     * The lock store grants no locks for a while.
     *
     * @param event for how long
     */
    default void onRecovering(LockEvent.Recovering event) {}

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

    /**
     * No code can release a lock any more that is held and renewed.
     *
     * @param event which one, and what is done about it
     */
    default void onAbandoned(LockEvent.Abandoned event) {}

    /**
     * A lock has been held for longer than configured. May come before {@link #onAcquired} of the hold, or after its
     * end.
     *
     * @param event which one, and the thread that acquired it
     */
    default void onHeldLong(LockEvent.HeldLong event) {}

    /**
     * A lock is in doubt: it is not certain at the moment that it is still held.
     *
     * @param event which one
     */
    default void onInDoubt(LockEvent.InDoubt event) {}

    /**
     * A lock that was in doubt is still held.
     *
     * @param event which one
     */
    default void onConfirmed(LockEvent.Confirmed event) {}

    /**
     * The store of the locks became unreachable or recovers, or that is over.
     *
     * @param event which store, and what happened
     */
    default void onStoreEvent(StoreEvent event) {}
}
