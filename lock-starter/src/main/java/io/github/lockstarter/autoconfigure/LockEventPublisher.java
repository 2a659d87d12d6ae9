package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockEvent.Refusal;
import io.github.lockstarter.LockListener;
import org.springframework.context.ApplicationEventPublisher;

/**
 * Publishes what an application may want to act upon as Spring events, whose payload is the {@link LockEvent} itself: each loss,
 * each wait that ended in vain, and the begin of each recovery. On the thread of a listener, never that of a lock.
 *
 * <p>{@link #recoveringUntil} is used by that one thread.
 */
final class LockEventPublisher implements LockListener {

    private final ApplicationEventPublisher events;
    private boolean recovering;
    private long recoveringUntil;

    LockEventPublisher(ApplicationEventPublisher events) {
        this.events = events;
    }

    @Override
    public void onLost(LockEvent.Lost event) {
        events.publishEvent(event);
    }

    /** Not for attempts that do not wait: that they find the lock held is what they expect. */
    @Override
    public void onNotAcquired(LockEvent.NotAcquired event) {
        if (event.queued() && event.refusal() == Refusal.CONTENDED) {
            events.publishEvent(event);
        }
    }

    @Override
    public void onRecovering(LockEvent.Recovering event) {
        long now = System.nanoTime();
        if (!recovering || now - recoveringUntil > 0) {
            recovering = true;
            recoveringUntil = now + event.remaining().toNanos();
            events.publishEvent(event);
        }
    }
}
