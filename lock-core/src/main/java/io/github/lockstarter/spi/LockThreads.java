package io.github.lockstarter.spi;

import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Creates every thread of the lock client: daemons with a numbered name, such as {@code lock-watchdog-1}, that inherit
 * neither the thread-locals nor the context class loader of the thread that happens to create them. Thread-safe.
 *
 * <p>For the modules of this project: public because they share it, and no part of the port.
 */
public final class LockThreads {

    private static final Duration LONGEST_JOIN = Duration.ofSeconds(2);
    private static final AtomicInteger NUMBER = new AtomicInteger();

    private LockThreads() {}

    /**
     * Creates one thread, not started, with the class loader of the lock client.
     *
     * @param name the name without its number
     * @param work what it runs
     * @return the thread
     */
    public static Thread thread(String name, Runnable work) {
        return thread(name, LockThreads.class.getClassLoader(), work);
    }

    private static Thread thread(String name, ClassLoader context, Runnable work) {
        Thread thread = new Thread(null, work, name + '-' + NUMBER.incrementAndGet(), 0, false);
        thread.setContextClassLoader(context);
        thread.setDaemon(true);
        return thread;
    }

    /**
     * Creates a pool whose threads end when they are idle. Work that exceeds them waits in an unbounded queue.
     *
     * @param name the name of the threads without their number
     * @param threads most threads at a time
     * @param idle how long a thread waits for work before it ends
     * @return the pool, which has no thread yet
     */
    public static ThreadPoolExecutor pool(String name, int threads, Duration idle) {
        return pool(name, threads, idle, LockThreads.class.getClassLoader());
    }

    /**
     * Creates a pool as {@link #pool(String, int, Duration)}, for code that another class loader has loaded.
     *
     * @param name the name of the threads without their number
     * @param threads most threads at a time
     * @param idle how long a thread waits for work before it ends
     * @param context the context class loader of the threads
     * @return the pool, which has no thread yet
     */
    public static ThreadPoolExecutor pool(String name, int threads, Duration idle, ClassLoader context) {
        ThreadPoolExecutor pool = new ThreadPoolExecutor(
                threads,
                threads,
                idle.toMillis(),
                TimeUnit.MILLISECONDS,
                new LinkedBlockingQueue<>(),
                work -> thread(name, context, work));
        pool.allowCoreThreadTimeOut(true);
        return pool;
    }

    /**
     * Creates a pool that starts a thread for each task that finds no idle one. So a task may wait for any other task,
     * but not for one beyond the bound, which {@link java.util.concurrent.RejectedExecutionException} refuses.
     *
     * @param name the name of the threads without their number
     * @param most threads at a time
     * @param idle how long a thread waits for work before it ends
     * @return the pool, which has no thread yet
     */
    public static ThreadPoolExecutor unqueuedPool(String name, int most, Duration idle) {
        return new ThreadPoolExecutor(
                0, most, idle.toMillis(), TimeUnit.MILLISECONDS, new SynchronousQueue<>(), work -> thread(name, work));
    }

    /**
     * Creates a thread that runs work at its time. It forgets work that is cancelled, and that is due after a shutdown.
     *
     * @param name the name of the thread without its number
     * @return the timer, which has no thread yet
     */
    public static ScheduledThreadPoolExecutor timer(String name) {
        ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1, work -> thread(name, work));
        timer.setRemoveOnCancelPolicy(true);
        timer.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        return timer;
    }

    /**
     * Waits for the end of a thread, for 2 s at most, or until the caller is interrupted; the flag is set again.
     *
     * @param thread the thread
     */
    public static void join(Thread thread) {
        try {
            thread.join(LONGEST_JOIN.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Waits for what a pool that was shut down still runs, for 2 s at most, or until the caller is interrupted; the
     * flag is set again. The caller may itself run in the pool, which therefore ends later.
     *
     * @param pool the pool
     */
    public static void join(ExecutorService pool) {
        try {
            pool.awaitTermination(LONGEST_JOIN.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
