package io.github.lockstarter.observe.listener;

import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockEvent.Refusal;
import io.github.lockstarter.StoreEvent;
import java.util.concurrent.atomic.AtomicLong;
import org.springframework.context.ApplicationEventPublisher;

/**
 * Publishes what an application may want to act upon as Spring events, whose payload is the {@link LockEvent} or {@link
 * StoreEvent} itself: each loss, each wait that ended without the lock, the begin of each recovery, and what
 * happens to the store. What is published is chosen on the thread that made the transition, so that nothing else takes
 * room, and published on a thread of its own, never on that of a lock.
 *
 * <p>{@link #quietUntil} is the end of the recovery that was published last, by {@link System#nanoTime()}; the thread
 * that moves it on publishes.
 */
public final class LockEventPublisher extends QueuedListener {

    private final ApplicationEventPublisher events;
    private final AtomicLong quietUntil = new AtomicLong(System.nanoTime());

    public LockEventPublisher(ApplicationEventPublisher events) {
        super(LockEventPublisher.class);
        this.events = events;
    }

    @Override
    public void onEvent(LockEvent event) {
        if (isPublished(event)) {
            add(event, () -> events.publishEvent(event));
        }
    }

    private boolean isPublished(LockEvent event) {
        if (event instanceof LockEvent.NotAcquired refused) {
            // An attempt that does not wait is no failed wait: for it a held lock is a normal result.
            return refused.queued() && refused.refusal() == Refusal.CONTENDED;
        }
        return event instanceof LockEvent.Recovering recovering ? isFirst(recovering) : event instanceof LockEvent.Lost;
    }

    private boolean isFirst(LockEvent.Recovering event) {
        long now = System.nanoTime();
        long until = quietUntil.get();
        return now - until >= 0
                && quietUntil.compareAndSet(until, now + event.remaining().toNanos());
    }

    @Override
    public void onStoreEvent(StoreEvent event) {
        add(event, () -> events.publishEvent(event));
    }
}
