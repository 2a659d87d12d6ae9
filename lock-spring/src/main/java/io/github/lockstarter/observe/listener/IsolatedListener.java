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
final class IsolatedListener extends QueuedListener {

    private final LockListener listener;
    private final Set<Class<?>> heard = new HashSet<>();
    private final boolean hearsStore;

    IsolatedListener(LockListener listener) {
        super(listener.getClass());
        this.listener = listener;
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

    @Override
    public void onEvent(LockEvent event) {
        if (!heard.contains(event.getClass())) {
            return;
        }
        if (event instanceof LockEvent.Lost) {
            addLoss(() -> event.passTo(listener));
        } else {
            add(() -> event.passTo(listener));
        }
    }

    @Override
    public void onStoreEvent(StoreEvent event) {
        if (hearsStore) {
            add(() -> listener.onStoreEvent(event));
        }
    }
}
