package io.github.lockstarter.observe.listener;

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
 * A listener that handles events on a thread of its own, alive while events are pending. Its queue has at most {@value
 * LockListener#MOST_PENDING} losses, and as many other events, so that these never displace a loss. Events are handled
 * in the order in which they were added. Adding one returns at once.
 *
 * <p>{@link #losses} and {@link #others} count what waits in the executor, which keeps everything else; {@link
 * #dropped} counts what was dropped since the last warning, {@link #everDropped} all that was.
 */
public abstract class QueuedListener implements LockListener, AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(QueuedListener.class);
    private static final Duration IDLE = Duration.ofSeconds(10);

    private final String listener;
    private final ThreadPoolExecutor thread;
    private final AtomicInteger losses = new AtomicInteger();
    private final AtomicInteger others = new AtomicInteger();
    private final AtomicLong dropped = new AtomicLong();
    private final AtomicLong everDropped = new AtomicLong();

    /**
     * Starts no thread yet.
     *
     * @param listener the class that hears the events
     */
    protected QueuedListener(Class<?> listener) {
        this.listener = listener.getName();
        // Its queue is bounded by what is counted.
        this.thread = LockThreads.pool("lock-listener", 1, IDLE, listener.getClassLoader());
    }

    @Override
    public final boolean returnsAtOnce() {
        return true;
    }

    /** The class name of the listener. */
    final String listener() {
        return listener;
    }

    /** How many events were dropped so far. */
    final long dropped() {
        return everDropped.get();
    }

    /**
     * Has the thread of the listener handle an event.
     *
     * @param event a {@link LockEvent} or a {@link io.github.lockstarter.StoreEvent}
     * @param handling how it is handled
     */
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
        everDropped.getAndIncrement();
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

    /** Handles pending events for 2 s at most, and then no further ones. Called after the engine has stopped. */
    @Override
    public final void close() {
        thread.shutdown();
        LockThreads.join(thread);
        thread.shutdownNow();
    }
}
