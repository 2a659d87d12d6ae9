package io.github.lockstarter.engine.thread;

import io.github.lockstarter.spi.LockThreads;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A pool for tasks of the application, which may block, even for each other. It has a fixed number of threads. While
 * tasks wait, all of its threads are blocked, and none has ended a task for {@link #PERIOD}, it starts as many again;
 * so a task that waits for a queued one meets a delay and no deadlock.
 *
 * <p>Invariant: while a task waits in the queue, a check is due. {@link #isChecking} is set before the check is
 * scheduled and cleared before the queue is looked at for the last time, so a task that arrives meanwhile schedules the
 * next one. A check changes the number of threads; no two checks run at a time. Thread-safe.
 */
public final class ElasticPool implements Executor {

    private static final Duration PERIOD = Duration.ofMillis(100);

    /** Far more than the callers that an application has at a time. */
    private static final int MOST = 4096;

    private static final Duration IDLE = Duration.ofSeconds(10);

    private final int usual;
    private final ThreadPoolExecutor pool;
    private final Set<Thread> busy = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean isChecking = new AtomicBoolean();

    /**
     * Creates a pool, which has no thread yet.
     *
     * @param usual most threads at a time unless all are blocked
     */
    public ElasticPool(String name, int usual) {
        this(LockThreads.pool(name, usual, IDLE));
    }

    /** For tests: over a pool with as many threads as are usual. */
    ElasticPool(ThreadPoolExecutor pool) {
        this.usual = pool.getMaximumPoolSize();
        this.pool = pool;
    }

    /** Throws {@link RejectedExecutionException} when it is shut down, and what the start of a thread throws. */
    @Override
    public void execute(Runnable task) {
        pool.execute(() -> run(task));
        if (!pool.getQueue().isEmpty()) {
            check();
        }
    }

    private void run(Runnable task) {
        busy.add(Thread.currentThread());
        try {
            task.run();
        } finally {
            busy.remove(Thread.currentThread());
        }
    }

    private void check() {
        if (isChecking.compareAndSet(false, true)) {
            checkAfter(pool.getCompletedTaskCount());
        }
    }

    private void checkAfter(long completed) {
        CompletableFuture.delayedExecutor(PERIOD.toMillis(), TimeUnit.MILLISECONDS, Runnable::run)
                .execute(() -> EngineLog.guard("The check of blocked threads", () -> look(completed)));
    }

    private void look(long completed) {
        if (pool.getQueue().isEmpty()) {
            resize(usual);
            isChecking.set(false);
            if (!pool.getQueue().isEmpty()) {
                check();
            }
            return;
        }
        try {
            if (pool.getCompletedTaskCount() == completed && areAllBlocked()) {
                resize(Math.min(MOST, pool.getMaximumPoolSize() + usual));
            }
        } catch (OutOfMemoryError noThread) {
            // What comes next is queued for the threads that there are, and a later check tries again.
            resize(Math.max(1, pool.getPoolSize()));
        } finally {
            checkAfter(pool.getCompletedTaskCount());
        }
    }

    /** One that computes, or reads from a socket, ends its task without another one of the pool. */
    private boolean areAllBlocked() {
        return busy.stream().allMatch(thread -> switch (thread.getState()) {
            case BLOCKED, WAITING, TIMED_WAITING -> true;
            default -> false;
        });
    }

    /** Starts threads for what is queued; threads above the number end when they are idle. */
    private void resize(int threads) {
        if (threads > pool.getMaximumPoolSize()) {
            pool.setMaximumPoolSize(threads);
            pool.setCorePoolSize(threads);
        } else if (threads < pool.getMaximumPoolSize()) {
            pool.setCorePoolSize(threads);
            pool.setMaximumPoolSize(threads);
        }
    }

    /** Runs what is queued, and takes no more. */
    public void shutdown() {
        pool.shutdown();
    }
}
