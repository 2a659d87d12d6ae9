package io.github.lockstarter.observe.listener;

import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockListener;
import io.github.lockstarter.StoreEvent;

/** A listener bean that may block: it is called on a thread of its own. */
final class IsolatedListener extends QueuedListener {

    private final LockListener listener;

    IsolatedListener(LockListener listener) {
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
