package io.github.lockstarter.observe.listener;

import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockListener;
import io.github.lockstarter.StoreEvent;
import java.util.HashSet;
import java.util.Set;
import org.springframework.util.ClassUtils;

/**
 * A listener bean that may block: it is called on a thread of its own, and events that it does not implement cost
 * nothing.
 */
public final class IsolatedListener implements LockListener, AutoCloseable {

    private final LockListener listener;
    private final ListenerThread thread;
    private final Set<Class<?>> heard = new HashSet<>();
    private final boolean hearsStore;

    IsolatedListener(LockListener listener) {
        this.listener = listener;
        this.thread = new ListenerThread(listener.getClass());
        boolean hearsAll = overrides("onEvent", LockEvent.class);
        for (Class<?> event : LockEvent.class.getPermittedSubclasses()) {
            if (hearsAll || overrides("on" + event.getSimpleName(), event)) {
                heard.add(event);
            }
        }
        this.hearsStore = overrides("onStoreEvent", StoreEvent.class);
    }

    private boolean overrides(String method, Class<?> event) {
        return ClassUtils.getMethod(listener.getClass(), method, event).getDeclaringClass() != LockListener.class;
    }

    ListenerThread thread() {
        return thread;
    }

    @Override
    public boolean returnsAtOnce() {
        return true;
    }

    @Override
    public void onEvent(LockEvent event) {
        if (!heard.contains(event.getClass())) {
            return;
        }
        if (event instanceof LockEvent.Lost) {
            thread.tellLoss(() -> event.passTo(listener));
        } else {
            thread.tell(() -> event.passTo(listener));
        }
    }

    @Override
    public void onStoreEvent(StoreEvent event) {
        if (hearsStore) {
            thread.tell(() -> listener.onStoreEvent(event));
        }
    }

    @Override
    public void close() {
        thread.close();
    }
}
