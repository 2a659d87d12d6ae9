package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockListener;
import io.github.lockstarter.StoreEvent;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.springframework.util.ClassUtils;

/** A listener bean that may block: it hears everything on a thread of its own, and what it does not listen to costs nothing. */
final class IsolatedListener implements LockListener, AutoCloseable {

    private static final List<Class<? extends LockEvent>> EVENTS = List.of(
            LockEvent.Acquired.class,
            LockEvent.Contended.class,
            LockEvent.NotAcquired.class,
            LockEvent.Recovering.class,
            LockEvent.Renewed.class,
            LockEvent.Released.class,
            LockEvent.Lost.class,
            LockEvent.Abandoned.class);

    private final LockListener listener;
    private final ListenerThread thread;
    private final Set<Class<? extends LockEvent>> heard = new HashSet<>();
    private final boolean hearsStore;

    IsolatedListener(LockListener listener) {
        this.listener = listener;
        this.thread = new ListenerThread(listener.getClass());
        for (Class<? extends LockEvent> event : EVENTS) {
            if (listensTo("on" + event.getSimpleName(), event)) {
                heard.add(event);
            }
        }
        this.hearsStore = listensTo("onStoreEvent", StoreEvent.class);
    }

    private boolean listensTo(String method, Class<?> event) {
        return ClassUtils.getMethod(listener.getClass(), method, event).getDeclaringClass() != LockListener.class;
    }

    private <E extends LockEvent> void tell(E event, Consumer<E> method) {
        if (heard.contains(event.getClass())) {
            thread.tell(() -> method.accept(event));
        }
    }

    ListenerThread thread() {
        return thread;
    }

    @Override
    public boolean returnsAtOnce() {
        return true;
    }

    @Override
    public void onAcquired(LockEvent.Acquired event) {
        tell(event, listener::onAcquired);
    }

    @Override
    public void onContended(LockEvent.Contended event) {
        tell(event, listener::onContended);
    }

    @Override
    public void onNotAcquired(LockEvent.NotAcquired event) {
        tell(event, listener::onNotAcquired);
    }

    @Override
    public void onRecovering(LockEvent.Recovering event) {
        tell(event, listener::onRecovering);
    }

    @Override
    public void onRenewed(LockEvent.Renewed event) {
        tell(event, listener::onRenewed);
    }

    @Override
    public void onReleased(LockEvent.Released event) {
        tell(event, listener::onReleased);
    }

    @Override
    public void onAbandoned(LockEvent.Abandoned event) {
        tell(event, listener::onAbandoned);
    }

    @Override
    public void onLost(LockEvent.Lost event) {
        if (heard.contains(LockEvent.Lost.class)) {
            thread.tellLoss(() -> listener.onLost(event));
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
