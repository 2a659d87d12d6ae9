package io.github.lockstarter.observe;

import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockEvent.Refusal;
import io.github.lockstarter.StoreEvent;
import org.springframework.context.ApplicationEventPublisher;

/**
 * Publishes losses, waits without a grant, and store events as payloads of Spring events. Filters on the calling
 * thread, so other events do not fill the queue.
 */
final class LockEventPublisher extends QueuedListener {

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

    /** Without a wait, a held lock is a normal result. */
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
