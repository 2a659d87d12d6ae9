package io.github.lockstarter.engine;

import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockListener;
import io.github.lockstarter.StoreEvent;
import io.github.lockstarter.spi.LockThreads;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;

/**
 * Calls the listeners, and runs the application's callbacks on threads that may block. The exception of a listener is
 * logged and ignored.
 */
final class EventDispatcher implements AutoCloseable {

    private static final String LISTENER = "A lock listener";

    private final List<LockListener> listeners;
    private final ExecutorService lossEvents;
    private final ExecutorService lossCallbacks;
    private final ExecutorService completions;

    /**
     * Calls no listener yet. The executors belong to this dispatcher.
     *
     * @param listeners are called in this order
     * @param lossEvents calls listeners about losses
     * @param lossCallbacks runs callbacks
     * @param completions completes futures of callers
     */
    EventDispatcher(
            List<LockListener> listeners,
            ExecutorService lossEvents,
            ExecutorService lossCallbacks,
            ExecutorService completions) {
        this.listeners = List.copyOf(listeners);
        this.lossEvents = lossEvents;
        this.lossCallbacks = lossCallbacks;
        this.completions = completions;
    }

    /** Whether there are listeners: without them, no event need be made. */
    boolean hasListeners() {
        return !listeners.isEmpty();
    }

    /**
     * Calls the listeners: for a loss on a thread of its own, since the watchdog or an event loop finds it; else on the
     * calling thread.
     */
    void publish(LockEvent event) {
        if (!hasListeners()) {
            return;
        }
        if (!(event instanceof LockEvent.Lost)) {
            callEach(event);
        } else {
            run(lossEvents, () -> callEach(event));
        }
    }

    private void callEach(LockEvent event) {
        for (int i = 0; i < listeners.size(); i++) {
            try {
                listeners.get(i).onEvent(event);
            } catch (RuntimeException | Error failure) {
                EngineLog.report(LISTENER, failure);
            }
        }
    }

    /** Passes an event of the store to the listeners. */
    void publish(StoreEvent event) {
        for (LockListener listener : listeners) {
            EngineLog.guard(LISTENER, () -> listener.onStoreEvent(event));
        }
    }

    /** Runs what the application wants done at a loss. */
    void callback(Runnable callback) {
        run(lossCallbacks, callback);
    }

    /**
     * Completes a future of the application; apart from the losses, which must not wait for what depends on futures.
     */
    void complete(Runnable completion) {
        run(completions, completion);
    }

    /**
     * The same future for the application: what depends on it runs on threads that may block, whichever thread
     * completes it. One that is complete already is returned as it is.
     */
    <T> CompletableFuture<T> completedForCallers(CompletableFuture<T> future) {
        if (future.isDone()) {
            return future;
        }
        CompletableFuture<T> forCallers = new CompletableFuture<>();
        future.whenComplete((result, failure) -> complete(() -> {
            if (failure == null) {
                forCallers.complete(result);
            } else {
                forCallers.completeExceptionally(failure);
            }
        }));
        return forCallers;
    }

    /**
     * On this thread when the client is closed already, or no further thread can be started: what waits for it must
     * not wait forever.
     */
    static void run(Executor pool, Runnable callback) {
        Runnable guarded = () -> EngineLog.guard("A lock callback", callback);
        try {
            pool.execute(guarded);
        } catch (RejectedExecutionException | OutOfMemoryError unable) {
            guarded.run();
        }
    }

    /**
     * Runs what is queued, takes no more, and lets the listeners hear how it ends, before they are closed themselves.
     */
    @Override
    public void close() {
        lossEvents.shutdown();
        lossCallbacks.shutdown();
        completions.shutdown();
        LockThreads.join(lossEvents);
    }
}
