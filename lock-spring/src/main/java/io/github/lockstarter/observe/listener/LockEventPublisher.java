package io.github.lockstarter.observe.listener;

import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockEvent.Refusal;
import io.github.lockstarter.StoreEvent;
import java.util.concurrent.atomic.AtomicLong;
import org.springframework.context.ApplicationEventPublisher;

/**
 * Publishes what an application may want to act upon as Spring events, whose payload is the {@link LockEvent} or {@link
 * StoreEvent} itself: each loss, each wait that ended in vain, the begin of each recovery, and what happens to the
 * store. What is published is chosen on the thread that made the transition, so that nothing else takes room, and
 * published on a thread of its own, never on that of a lock.
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
    public void onLost(LockEvent.Lost event) {
        addLoss(() -> events.publishEvent(event));
    }

    /** Not for attempts that do not wait: for them a held lock is a normal result. */
    @Override
    public void onNotAcquired(LockEvent.NotAcquired event) {
        if (event.queued() && event.refusal() == Refusal.CONTENDED) {
            add(() -> events.publishEvent(event));
        }
    }

    @Override
    public void onRecovering(LockEvent.Recovering event) {
        long now = System.nanoTime();
        long until = quietUntil.get();
        if (now - until >= 0
                && quietUntil.compareAndSet(until, now + event.remaining().toNanos())) {
            add(() -> events.publishEvent(event));
        }
    }

    @Override
    public void onStoreEvent(StoreEvent event) {
        add(() -> events.publishEvent(event));
    }
}
