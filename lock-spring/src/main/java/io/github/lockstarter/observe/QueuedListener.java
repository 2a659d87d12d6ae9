package io.github.lockstarter.observe;

import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockListener;
import io.github.lockstarter.spi.LockThreads;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Handles events in order on a thread, which ends when idle. At most {@value LockListener#MOST_PENDING} losses and as
 * many other events are pending; more are dropped. Adding an event never blocks. {@link #dropped} counts since the last
 * warning, {@link #totalDropped} since the start.
 */
abstract class QueuedListener implements LockListener, AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(QueuedListener.class);
    private static final Duration IDLE = Duration.ofSeconds(10);

    private final String listener;
    private final ThreadPoolExecutor thread;
    private final AtomicInteger losses = new AtomicInteger();
    private final AtomicInteger others = new AtomicInteger();
    private final AtomicLong dropped = new AtomicLong();
    private final AtomicLong totalDropped = new AtomicLong();

    protected QueuedListener(Class<?> listener) {
        this.listener = listener.getName();
        // add() bounds its queue
        this.thread = LockThreads.pool("lock-listener", 1, IDLE, listener.getClassLoader());
    }

    @Override
    public final boolean returnsAtOnce() {
        return true;
    }

    final String listener() {
        return listener;
    }

    final long dropped() {
        return totalDropped.get();
    }

    protected final void add(Object event, Runnable handling) {
        AtomicInteger pending = event instanceof LockEvent.Lost ? losses : others;
        if (pending.getAndIncrement() >= LockListener.MOST_PENDING) {
            pending.getAndDecrement();
            drop();
            return;
        }
        try {
            thread.execute(() -> {
                pending.getAndDecrement();
                guarded(handling);
            });
        } catch (RejectedExecutionException closed) {
            pending.getAndDecrement();
        }
    }

    private void drop() {
        totalDropped.getAndIncrement();
        if (dropped.getAndIncrement() == 0) {
            log.warn(
                    "Lock listener {} is {} events behind; events are dropped until it has caught up",
                    listener,
                    LockListener.MOST_PENDING);
        }
    }

    private void guarded(Runnable handling) {
        try {
            handling.run();
        } catch (RuntimeException | Error e) {
            log.warn("Lock listener {} failed; the lock and other listeners are not affected", listener, e);
        }
        if (dropped.get() > 0 && thread.getQueue().isEmpty()) {
            log.warn("Lock listener {} has caught up; {} events were dropped", listener, dropped.getAndSet(0));
        }
    }

    /** Handles pending events for at most 2 s and rejects later ones. Call after closing the engine. */
    @Override
    public final void close() {
        thread.shutdown();
        LockThreads.join(thread);
        thread.shutdownNow();
    }
}
