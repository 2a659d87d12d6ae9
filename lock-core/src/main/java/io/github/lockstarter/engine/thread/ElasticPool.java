package io.github.lockstarter.engine.thread;

import io.github.lockstarter.spi.LockThreads;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A pool for tasks of the application, which may block, even for each other. It has a fixed number of threads. While
 * all of them are blocked and tasks wait, it doubles that number, so a task that waits for a queued one meets a delay
 * and no deadlock.
 *
 * <p>Invariant: while a task waits in the queue, a check is due. {@link #isChecking} is set before the check is
 * scheduled and cleared before the queue is looked at for the last time, so a task that arrives meanwhile schedules the
 * next one. A check changes the number of threads; no two checks run at a time. Thread-safe.
 */
public final class ElasticPool implements Executor {

    /** So long no task may have ended before threads are added. */
    private static final Duration PERIOD = Duration.ofMillis(100);

    /** Far above what a machine can run: the doubling ends here. */
    private static final int MOST = 1 << 15;

    private static final Duration IDLE = Duration.ofSeconds(10);

    private final int usual;
    private final ThreadPoolExecutor pool;
    private final AtomicBoolean isChecking = new AtomicBoolean();

    /**
     * Creates a pool, which has no thread yet.
     *
     * @param usual most threads at a time while tasks end
     */
    public ElasticPool(String name, int usual) {
        this.usual = usual;
        this.pool = LockThreads.pool(name, usual, IDLE);
    }

    /** Throws {@link RejectedExecutionException} when it is shut down, and what the start of a thread throws. */
    @Override
    public void execute(Runnable task) {
        pool.execute(task);
        if (!pool.getQueue().isEmpty()) {
            check();
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
            if (pool.getCompletedTaskCount() == completed) {
                resize(Math.min(MOST, 2 * pool.getMaximumPoolSize()));
            }
        } catch (OutOfMemoryError noThread) {
            // the next check tries again
        } finally {
            checkAfter(pool.getCompletedTaskCount());
        }
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
