package io.github.lockstarter.contract;

import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockListener;
import io.github.lockstarter.StoreEvent;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Keeps every event, in the order of arrival. */
public final class RecordingListener implements LockListener {

    private final Queue<LockEvent> events = new ConcurrentLinkedQueue<>();
    private final Queue<StoreEvent> storeEvents = new ConcurrentLinkedQueue<>();

    public <E extends LockEvent> List<E> of(Class<E> kind) {
        return events.stream().filter(kind::isInstance).map(kind::cast).toList();
    }

    public List<StoreEvent> ofStore() {
        return List.copyOf(storeEvents);
    }

    /** Drops the recorded events of the store. */
    public void forgetStore() {
        storeEvents.clear();
    }

    @Override
    public void onStoreEvent(StoreEvent event) {
        storeEvents.add(event);
    }

    @Override
    public void onEvent(LockEvent event) {
        events.add(event);
    }
}
