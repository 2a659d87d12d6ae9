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
 * thread that made the transition, which may be an event loop or the watchdog; only a {@link LockEvent.Lost} arrives on
 * another thread. Such a listener must be thread-safe, and must not stop the lock client. Events of different locks
 * arrive concurrently, those of one hold in order, except {@link LockEvent.Lost} and {@link LockEvent.HeldLong}: the
 * latter may precede the {@link LockEvent.Acquired} of its hold, or follow its end.
 *
 * <p>Exceptions are logged and ignored.
 */
@FunctionalInterface
public interface LockListener {

    /** Capacity of a listener bean's queue of losses, and of its queue of other events; further ones are dropped. */
    int MOST_PENDING = 1_000;

    /**
     * Called for every event of a lock. {@link LockEvent} is sealed: select by type, and ignore the types that are not
     * needed.
     *
     * @param event what happened
     */
    void onEvent(LockEvent event);

    /**
     * The store of the locks became unreachable or recovers, or that is over.
     *
     * @param event which store, and what happened
     */
    default void onStoreEvent(StoreEvent event) {}

    /**
     * Whether every method returns at once, whatever happens, so that it may be called on the thread that made the
     * transition. A listener that says so and blocks delays locks. Other beans are called on a thread of their own.
     *
     * @return false unless overridden
     */
    default boolean returnsAtOnce() {
        return false;
    }
}
