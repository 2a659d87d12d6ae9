package io.github.lockstarter.engine.thread;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Makes every thread of the engine: one watchdog, and a few for the application's code while there is any to run. */
public final class LockThreads {

    private static final long IDLE_SECONDS = 10;
    private static final long JOIN_MILLIS = 2_000;

    private static final AtomicInteger WATCHDOGS = new AtomicInteger();
    private static final AtomicInteger POOLED = new AtomicInteger();

    private LockThreads() {}

    public static Thread watchdog(Runnable work) {
        return daemon(work, "lock-watchdog-" + WATCHDOGS.incrementAndGet());
    }

    /** Threads that end when idle; what comes on top of them queues up, since code that blocks must not add threads. */
    public static ThreadPoolExecutor pool(String name, int threads) {
        ThreadFactory factory = work -> daemon(work, name + '-' + POOLED.incrementAndGet());
        ThreadPoolExecutor executor = new ThreadPoolExecutor(
                threads, threads, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), factory);
        executor.allowCoreThreadTimeOut(true);
        return executor;
    }

    public static void join(Thread thread) {
        boolean interrupted = false;
        try {
            thread.join(JOIN_MILLIS);
        } catch (InterruptedException e) {
            interrupted = true;
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Waits for what a pool that was shut down still runs, for 2 s at most: it may be what a caller of the stop runs
     * on.
     */
    public static void join(ThreadPoolExecutor pool) {
        try {
            pool.awaitTermination(JOIN_MILLIS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static Thread daemon(Runnable work, String name) {
        // Must not keep what the thread that happened to come first hands down to its children.
        Thread thread = new Thread(null, work, name, 0, false);
        thread.setContextClassLoader(LockThreads.class.getClassLoader());
        thread.setDaemon(true);
        return thread;
    }
}
