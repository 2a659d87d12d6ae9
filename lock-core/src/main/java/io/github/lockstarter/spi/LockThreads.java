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
 * Creates all threads of the lock client: daemons that inherit neither thread-locals nor the context class loader of
 * their creator, with a number after the given name, such as {@code lock-watchdog-1}. Pools start without threads and
 * end idle ones. Thread-safe.
 *
 * <p>Internal to this project's modules.
 */
public final class LockThreads {

    private static final Duration LONGEST_JOIN = Duration.ofSeconds(2);
    private static final AtomicInteger NUMBER = new AtomicInteger();

    private LockThreads() {}

    /**
     * {@return an unstarted thread}
     *
     * @param name name
     * @param work code
     */
    public static Thread thread(String name, Runnable work) {
        return thread(name, LockThreads.class.getClassLoader(), work);
    }

    /**
     * {@return an unstarted thread that serves all locks, such as an event loop, where {@link BlockingWait} fails}
     *
     * @param name name
     * @param work code
     */
    public static Thread nonBlocking(String name, Runnable work) {
        return prepared(new NonBlockingThread(work, numbered(name)), LockThreads.class.getClassLoader());
    }

    /** {@return whether the current thread serves all locks, so that it must not wait for one} */
    public static boolean isNonBlocking() {
        return Thread.currentThread() instanceof NonBlockingThread;
    }

    private static Thread thread(String name, ClassLoader context, Runnable work) {
        return prepared(new Thread(null, work, numbered(name), 0, false), context);
    }

    private static String numbered(String name) {
        return name + '-' + NUMBER.incrementAndGet();
    }

    private static Thread prepared(Thread thread, ClassLoader context) {
        thread.setContextClassLoader(context);
        thread.setDaemon(true);
        return thread;
    }

    private static final class NonBlockingThread extends Thread {

        NonBlockingThread(Runnable work, String name) {
            super(null, work, name, 0, false);
        }
    }

    /**
     * {@return a pool with an unbounded queue}
     *
     * @param name name
     * @param threads maximum number
     * @param idle longest idle time
     */
    public static ThreadPoolExecutor pool(String name, int threads, Duration idle) {
        return pool(name, threads, idle, LockThreads.class.getClassLoader());
    }

    /**
     * {@return {@link #pool(String, int, Duration)} for code of another class loader}
     *
     * @param name name
     * @param threads maximum number
     * @param idle longest idle time
     * @param context context class loader
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
     * {@return a pool without a queue, so that its tasks may wait for each other; refuses tasks beyond the maximum}
     *
     * @param name name
     * @param most maximum number
     * @param idle longest idle time
     */
    public static ThreadPoolExecutor unqueuedPool(String name, int most, Duration idle) {
        return new ThreadPoolExecutor(
                0, most, idle.toMillis(), TimeUnit.MILLISECONDS, new SynchronousQueue<>(), work -> thread(name, work));
    }

    /**
     * {@return a single-threaded timer whose tasks must not block; drops cancelled tasks, and delayed ones at shutdown}
     *
     * @param name name
     */
    public static ScheduledThreadPoolExecutor timer(String name) {
        ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1, work -> nonBlocking(name, work));
        timer.setRemoveOnCancelPolicy(true);
        timer.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        return timer;
    }

    /**
     * Waits up to 2 s for a thread to end, or until an interrupt, whose flag is set again.
     *
     * @param thread thread
     */
    public static void join(Thread thread) {
        try {
            thread.join(LONGEST_JOIN.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * As {@link #join(Thread)}, for a pool after its shutdown. The caller may be one of its tasks.
     *
     * @param pool pool
     */
    public static void join(ExecutorService pool) {
        try {
            pool.awaitTermination(LONGEST_JOIN.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
