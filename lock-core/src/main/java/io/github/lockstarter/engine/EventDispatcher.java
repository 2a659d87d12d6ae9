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
 * Calls the listeners, and runs the application's callbacks on threads that may block. Exceptions of listeners are
 * logged and ignored.
 */
final class EventDispatcher implements AutoCloseable {

    private final List<LockListener> listeners;
    private final ExecutorService lossEvents;
    private final ExecutorService lossCallbacks;
    private final ExecutorService completions;

    EventDispatcher(List<LockListener> listeners, EngineEnvironment environment) {
        this.listeners = List.copyOf(listeners);
        this.lossEvents = environment.newLossExecutor().get();
        this.lossCallbacks = environment.newCallbackExecutor().get();
        this.completions = environment.newCompletionExecutor().get();
    }

    boolean hasListeners() {
        return !listeners.isEmpty();
    }

    /**
     * Calls the listeners: for {@code Lost} on a thread of its own, otherwise on the calling thread. That is the
     * watchdog's or the store's for some {@code Renewed}, {@code Released}, {@code InDoubt}, {@code Confirmed}, {@code
     * HeldLong}, {@code Abandoned} and {@code Recovering}.
     */
    void publish(LockEvent event) {
        if (event instanceof LockEvent.Lost && hasListeners()) {
            run(lossEvents, () -> callEach(listeners, listener -> listener.onEvent(event)));
        } else {
            callEach(listeners, listener -> listener.onEvent(event));
        }
    }

    void publish(StoreEvent event) {
        callEach(listeners, listener -> listener.onStoreEvent(event));
    }

    static void callEach(List<LockListener> listeners, Consumer<LockListener> call) {
        for (LockListener listener : listeners) {
            EngineLog.guard("A lock listener", call, listener);
        }
    }

    void callback(Runnable callback) {
        run(lossCallbacks, callback);
    }

    /**
     * Completes a future of the application, apart from the loss threads, which must not wait for its dependent stages.
     */
    void complete(Runnable completion) {
        run(completions, completion);
    }

    /**
     * The future for the application: dependent stages run on threads that may block, whichever thread completes it.
     */
    <T> CompletableFuture<T> completedForCallers(CompletableFuture<T> future) {
        return future.isDone() ? future : future.whenCompleteAsync((result, failure) -> {}, this::complete);
    }

    /**
     * Falls back to this thread when the client is closed or no thread can be started, since waiters must not wait
     * forever.
     */
    static void run(Executor pool, Runnable callback) {
        Runnable guarded = () -> EngineLog.guard("A lock callback", callback);
        try {
            pool.execute(guarded);
        } catch (RejectedExecutionException | OutOfMemoryError unable) {
            guarded.run();
        }
    }

    /** Runs queued work; waits until the losses are reported. */
    @Override
    public void close() {
        lossEvents.shutdown();
        lossCallbacks.shutdown();
        completions.shutdown();
        LockThreads.join(lossEvents);
    }
}
