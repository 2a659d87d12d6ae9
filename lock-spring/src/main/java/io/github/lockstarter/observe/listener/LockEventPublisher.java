package io.github.lockstarter.observe.listener;

import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockEvent.Refusal;
import io.github.lockstarter.StoreEvent;
import org.springframework.context.ApplicationEventPublisher;

/**
 * Publishes what an application may want to act upon as Spring events, whose payload is the {@link LockEvent} or {@link
 * StoreEvent} itself: each loss, each wait that ended without the lock, and what happens to the store. What is
 * published is chosen on the thread that made the transition, so that nothing else takes room, and published on a
 * thread of its own, never on that of a lock.
 */
public final class LockEventPublisher extends QueuedListener {

    private final ApplicationEventPublisher events;

    public LockEventPublisher(ApplicationEventPublisher events) {
        super(LockEventPublisher.class);
        this.events = events;
    }

    @Override
    public void onEvent(LockEvent event) {
        if (event instanceof LockEvent.Lost || isFailedWait(event)) {
            add(event, () -> events.publishEvent(event));
        }
    }

    /** For an attempt that does not wait, a held lock is a normal result. */
    private static boolean isFailedWait(LockEvent event) {
        return event instanceof LockEvent.NotAcquired refused
                && refused.queued()
                && refused.refusal() == Refusal.CONTENDED;
    }

    @Override
    public void onStoreEvent(StoreEvent event) {
        add(event, () -> events.publishEvent(event));
    }
}
