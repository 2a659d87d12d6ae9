package io.github.lockstarter;

/**
 * Receives the events of this instance's locks and their store. Every bean of this type receives every event, in bean
 * order ({@code @Order}). Exceptions are logged and ignored.
 *
 * <p>Each bean has its own thread, so it may block. Two queues, for losses and for other events, hold up to {@value
 * #MOST_PENDING} events each; further events are dropped and counted in a warning.
 *
 * <p>A listener that {@link #returnsAtOnce}, or that is passed to an engine directly, is called on the thread that made
 * the transition, except for {@link LockEvent.Lost}. It must be thread-safe and must not stop the lock client. Events
 * of one hold arrive in order, except {@link LockEvent.Lost} and {@link LockEvent.HeldLong}, which may precede its
 * {@link LockEvent.Acquired} or follow its end.
 */
@FunctionalInterface
public interface LockListener {

    /** Capacity of each queue. */
    int MOST_PENDING = 1_000;

    /**
     * Receives an event of a lock.
     *
     * @param event event; select by type and ignore the rest
     */
    void onEvent(LockEvent event);

    /**
     * Receives an outage or recovery of the store.
     *
     * @param event event
     */
    default void onStoreEvent(StoreEvent event) {}

    /**
     * {@return whether no method ever blocks, so that it may run on the thread that made the transition; by default
     * false}
     */
    default boolean returnsAtOnce() {
        return false;
    }
}
