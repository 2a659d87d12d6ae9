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
import java.util.function.Consumer;

/**
 * Calls the listeners, and runs the application's callbacks on threads that may block. The exception of a listener is
 * logged and ignored.
 */
final class EventDispatcher implements AutoCloseable {

    private final List<LockListener> listeners;
    private final ExecutorService lossEvents;
    private final ExecutorService lossCallbacks;
    private final ExecutorService completions;

    /** Calls no listener yet. */
    EventDispatcher(List<LockListener> listeners, EngineEnvironment environment) {
        this.listeners = List.copyOf(listeners);
        this.lossEvents = environment.newLossExecutor().get();
        this.lossCallbacks = environment.newCallbackExecutor().get();
        this.completions = environment.newCompletionExecutor().get();
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
        if (event instanceof LockEvent.Lost && hasListeners()) {
            run(lossEvents, () -> callEach(listeners, listener -> listener.onEvent(event)));
        } else {
            callEach(listeners, listener -> listener.onEvent(event));
        }
    }

    /** Passes an event of the store to the listeners. */
    void publish(StoreEvent event) {
        callEach(listeners, listener -> listener.onStoreEvent(event));
    }

    static void callEach(List<LockListener> listeners, Consumer<LockListener> call) {
        for (LockListener listener : listeners) {
            EngineLog.guard("A lock listener", call, listener);
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
        return future.isDone() ? future : future.whenCompleteAsync((result, failure) -> {}, this::complete);
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
