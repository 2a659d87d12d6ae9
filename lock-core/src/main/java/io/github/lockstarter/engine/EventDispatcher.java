package io.github.lockstarter.engine;

import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockListener;
import io.github.lockstarter.StoreEvent;
import io.github.lockstarter.engine.settings.EngineClock;
import io.github.lockstarter.spi.LockThreads;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;

/**
 * Calls the listeners, and runs the application's callbacks on threads that may block. Exceptions of listeners are
 * logged and ignored.
 *
 * <p>A task that gets no thread, because the pool is full or the process may start no more threads, waits in {@link
 * #queued} for the thread of {@link #starter}: the thread that adds it serves all locks, so it must not run it. If that
 * thread cannot be started either, the timer retries.
 */
final class EventDispatcher extends TimerEntry implements AutoCloseable {

    private static final long RETRY_NANOS = 50_000_000;

    private final List<LockListener> listeners;
    private final EngineClock clock;
    private final EngineTimer timer;
    private final ExecutorService lossEvents;
    private final ExecutorService lossCallbacks;
    private final ExecutorService completions;
    private final ExecutorService starter;
    private final Queue<Runnable> queued = new ConcurrentLinkedQueue<>();

    EventDispatcher(List<LockListener> listeners, EngineEnvironment environment, EngineTimer timer) {
        this.listeners = List.copyOf(listeners);
        this.clock = environment.clock();
        this.timer = timer;
        this.lossEvents = environment.newLossExecutor().get();
        this.lossCallbacks = environment.newCallbackExecutor().get();
        this.completions = environment.newCompletionExecutor().get();
        this.starter = environment.newLossExecutor().get();
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
            execute(lossEvents, guarded(() -> callEach(listeners, each -> each.onEvent(event))), this::queue);
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

    /**
     * Starts no thread of the pool on the calling thread, since many locks may be lost in one tick of the watchdog.
     * Completed when the callback has returned.
     */
    CompletableFuture<Void> callback(Runnable callback) {
        return CompletableFuture.runAsync(
                guarded(callback), task -> queue(() -> execute(lossCallbacks, task, Runnable::run)));
    }

    /**
     * Completes a future of the application, apart from the loss threads, which must not wait for its dependent stages.
     */
    void complete(Runnable completion) {
        execute(completions, guarded(completion), this::queue);
    }

    /**
     * The future for the application: dependent stages run on threads that may block, whichever thread completes it.
     */
    <T> CompletableFuture<T> completedForCallers(CompletableFuture<T> future) {
        return future.isDone() ? future : future.whenCompleteAsync((result, failure) -> {}, this::complete);
    }

    private static Runnable guarded(Runnable task) {
        return () -> EngineLog.guard("A lock callback", task);
    }

    private static void execute(Executor pool, Runnable guarded, Consumer<Runnable> ifRefused) {
        try {
            pool.execute(guarded);
        } catch (RejectedExecutionException | OutOfMemoryError unable) {
            ifRefused.accept(guarded);
        }
    }

    private void queue(Runnable task) {
        queued.add(task);
        runQueued();
    }

    @Override
    public void fire() {
        runQueued();
    }

    /**
     * Runs the queued tasks on the starter's thread. Once closed, runs them on this thread, since waiters must not wait
     * forever.
     */
    private void runQueued() {
        try {
            starter.execute(this::drain);
        } catch (RejectedExecutionException closed) {
            drain();
        } catch (Error noThread) {
            timer.schedule(this, clock.nanos() + RETRY_NANOS);
        }
    }

    private void drain() {
        for (Runnable task = queued.poll(); task != null; task = queued.poll()) {
            EngineLog.guard("A queued callback", task);
        }
    }

    /** Runs queued work, which needs the other threads; waits until the losses are reported. */
    @Override
    public void close() {
        starter.shutdown();
        LockThreads.join(starter);
        runQueued();
        lossEvents.shutdown();
        lossCallbacks.shutdown();
        completions.shutdown();
        LockThreads.join(lossEvents);
    }
}
