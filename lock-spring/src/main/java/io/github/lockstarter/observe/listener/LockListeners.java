package io.github.lockstarter.observe.listener;

import io.github.lockstarter.LockListener;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * All listeners of the engine: those of the log, and the listener beans in their order, isolated where they may block.
 */
public final class LockListeners implements AutoCloseable {

    private final List<LockListener> all;

    public LockListeners(Stream<LockListener> listeners) {
        this.all = listeners.map(LockListeners::isolated).toList();
    }

    private static LockListener isolated(LockListener listener) {
        return listener.returnsAtOnce() ? listener : new IsolatedListener(listener);
    }

    public List<LockListener> all() {
        return all;
    }

    /** How many events were dropped so far, by the class of the listener; those of one class count together. */
    public Map<String, LongSupplier> dropped() {
        return queued().collect(Collectors.toMap(
                QueuedListener::listener,
                listener -> listener::dropped,
                (one, other) -> () -> one.getAsLong() + other.getAsLong()));
    }

    private Stream<QueuedListener> queued() {
        return all.stream().filter(QueuedListener.class::isInstance).map(QueuedListener.class::cast);
    }

    /** After the engine, so that they receive its last events. */
    @Override
    public void close() {
        queued().forEach(QueuedListener::close);
    }
}
