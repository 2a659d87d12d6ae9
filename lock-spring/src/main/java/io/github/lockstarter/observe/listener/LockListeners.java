package io.github.lockstarter.observe.listener;

import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockListener;
import io.github.lockstarter.StoreEvent;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The log and the listener beans in their order, with a thread for each that may block. */
public final class LockListeners implements AutoCloseable {

    private final List<LockListener> all;

    public LockListeners(Stream<LockListener> listeners) {
        this.all = listeners.map(LockListeners::isolated).toList();
    }

    private static LockListener isolated(LockListener listener) {
        return listener.returnsAtOnce() ? listener : new Isolated(listener);
    }

    public List<LockListener> all() {
        return all;
    }

    public Map<String, LongSupplier> dropped() {
        return queued().collect(Collectors.toMap(
                QueuedListener::listener,
                listener -> listener::dropped,
                (one, other) -> () -> one.getAsLong() + other.getAsLong()));
    }

    private Stream<QueuedListener> queued() {
        return all.stream().filter(QueuedListener.class::isInstance).map(QueuedListener.class::cast);
    }

    /** Call after closing the engine, so that listeners receive its last events. */
    @Override
    public void close() {
        queued().forEach(QueuedListener::close);
    }

    static final class Isolated extends QueuedListener {

        private final LockListener listener;

        Isolated(LockListener listener) {
            super(listener.getClass());
            this.listener = listener;
        }

        @Override
        public void onEvent(LockEvent event) {
            add(event, () -> listener.onEvent(event));
        }

        @Override
        public void onStoreEvent(StoreEvent event) {
            add(event, () -> listener.onStoreEvent(event));
        }
    }
}
