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
 * Creates all threads of the lock client: daemons with numbered names such as {@code lock-watchdog-1} that inherit
 * neither thread-locals nor the context class loader of their creator. A name is given without its number, and pools
 * start without threads. Thread-safe.
 *
 * <p>Internal to this project's modules, not part of the port.
 */
public final class LockThreads {

    private static final Duration LONGEST_JOIN = Duration.ofSeconds(2);
    private static final AtomicInteger NUMBER = new AtomicInteger();

    private LockThreads() {}

    /**
     * Creates an unstarted thread with the class loader of the lock client.
     *
     * @param name the name
     * @param work the code to run
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
     * Creates a pool with an unbounded queue.
     *
     * @param name the name
     * @param threads maximum number of threads
     * @param idle time after which an idle thread ends
     * @return the pool
     */
    public static ThreadPoolExecutor pool(String name, int threads, Duration idle) {
        return pool(name, threads, idle, LockThreads.class.getClassLoader());
    }

    /**
     * {@link #pool(String, int, Duration)} for code of another class loader.
     *
     * @param name the name
     * @param threads maximum number of threads
     * @param idle time after which an idle thread ends
     * @param context the context class loader
     * @return the pool
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
     * Creates a pool without a queue, so that its tasks may wait for each other. Tasks beyond the maximum are refused
     * with {@link java.util.concurrent.RejectedExecutionException}.
     *
     * @param name the name
     * @param most maximum number of threads
     * @param idle time after which an idle thread ends
     * @return the pool
     */
    public static ThreadPoolExecutor unqueuedPool(String name, int most, Duration idle) {
        return new ThreadPoolExecutor(
                0, most, idle.toMillis(), TimeUnit.MILLISECONDS, new SynchronousQueue<>(), work -> thread(name, work));
    }

    /**
     * Creates a single-threaded timer that drops cancelled tasks, and delayed tasks at shutdown.
     *
     * @param name the name
     * @return the timer
     */
    public static ScheduledThreadPoolExecutor timer(String name) {
        ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1, work -> thread(name, work));
        timer.setRemoveOnCancelPolicy(true);
        timer.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        return timer;
    }

    /**
     * Waits up to 2 s for a thread to end, or until the caller is interrupted; the flag is set again.
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
     * Waits up to 2 s for the tasks of a pool after its shutdown, or until the caller is interrupted; the flag is set
     * again. The caller may be one of them.
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
