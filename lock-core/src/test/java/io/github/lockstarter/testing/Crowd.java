package io.github.lockstarter.testing;

import io.github.lockstarter.kit.Patience;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Threads that start together and do the same. */
public final class Crowd {

    /** For all runs of all threads. */
    private static final long PATIENCE_SECONDS = 2 * Patience.SECONDS;

    private final int threads;

    private Crowd(int threads) {
        this.threads = threads;
    }

    /**
     * A crowd of this many threads.
     *
     * @param threads at least 1
     * @return the crowd; nothing runs yet
     */
    public static Crowd of(int threads) {
        return new Crowd(threads);
    }

    /**
     * Runs the task this often on each thread, and waits for all.
     *
     * @param runs per thread
     * @throws AssertionError if a run fails or the crowd does not end
     */
    public void eachRuns(int runs, Runnable task) {
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        try {
            CyclicBarrier start = new CyclicBarrier(threads);
            List<Future<?>> members = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                members.add(pool.submit(() -> {
                    start.await();
                    for (int run = 0; run < runs; run++) {
                        task.run();
                    }
                    return null;
                }));
            }
            for (Future<?> member : members) {
                member.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
            }
        } catch (ExecutionException e) {
            throw new AssertionError("A thread of the crowd failed", e.getCause());
        } catch (TimeoutException e) {
            throw new AssertionError("The crowd still runs after " + PATIENCE_SECONDS + " s", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while waiting for the crowd", e);
        } finally {
            pool.shutdownNow();
        }
    }
}
