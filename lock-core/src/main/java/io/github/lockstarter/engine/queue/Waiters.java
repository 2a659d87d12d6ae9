package io.github.lockstarter.engine.queue;

import io.github.lockstarter.engine.backend.PendingReleases;
import io.github.lockstarter.engine.hold.EngineContext;
import io.github.lockstarter.engine.hold.Holds;
import io.github.lockstarter.engine.settings.EngineClock;
import io.github.lockstarter.spi.LockToken;
import java.util.function.BiConsumer;

/**
 * The callers of this instance that wait for locks, for the parts that end its holds: each notification lets the queue
 * of the key decide, and has the decision executed. Called from any thread; returns at once.
 *
 * <p>{@link #executor} is set once, before the first caller waits.
 */
public final class Waiters {

    private final KeyQueues queues;
    private final Holds holds;
    private final EngineClock clock;
    private final PendingReleases pendingReleases;
    private volatile BiConsumer<String, QueueActions> executor = (key, actions) -> {};

    public Waiters(KeyQueues queues, EngineContext context, PendingReleases pendingReleases) {
        this.queues = queues;
        this.holds = context.holds();
        this.clock = context.clock();
        this.pendingReleases = pendingReleases;
    }

    /** Sets what executes the decisions of the queues. */
    public void executeWith(BiConsumer<String, QueueActions> executor) {
        this.executor = executor;
    }

    public KeyQueues queues() {
        return queues;
    }

    /** A hold of the key has ended, and its release is sent: its waiters try again. */
    public void freed(String key) {
        executor.accept(key, queues.apply(key, KeyQueue::freed));
    }

    /**
     * A hold of the key was released to another instance, or is kept, and this one is registered behind the others: its
     * waiters wait. If there are none any more, the registration is withdrawn.
     */
    public void requeued(String key, Obstacle next) {
        long now = clock.nanos();
        executor.accept(key, queues.applyCreating(key, queue -> queue.requeued(next, now)));
    }

    /** As {@link #requeued}, but it is not known whether that has happened: the waiters try again. */
    public void requeuedUnknown(String key) {
        executor.accept(key, queues.applyCreating(key, KeyQueue::requeuedUnknown));
    }

    /**
     * Another instance waits, and may be overtaken by the next grant to this one. The notice may overtake the answer
     * that carries the grant: then the queue knows of an attempt, and passes it on.
     */
    public void wanted(String key) {
        queues.apply(key, KeyQueue::wanted);
        holds.here(key).ifPresent(hold -> hold.grant.wanted(clock.nanos()));
    }

    /**
     * Withdraws a wait; a waiter that came meanwhile may have lost its registration to the withdrawal, and tries again.
     */
    public void withdraw(String key, LockToken token) {
        pendingReleases.withdraw(key, token);
        freed(key);
    }
}
