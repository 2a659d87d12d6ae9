package io.github.lockstarter.benchmarks.measure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/** Threads that repeat an operation for some time, as fast as possible. */
public final class LoadGenerator {

    private static final Duration TIMEOUT = Duration.ofMinutes(2);

    private LoadGenerator() {}

    /** The repeated operation. */
    @FunctionalInterface
    public interface Operation {

        /**
         * Runs once.
         *
         * @param thread number of the thread, starting at 0
         * @return latency in ns, as defined by the workload
         * @throws Exception ends the round
         */
        long run(int thread) throws Exception;
    }

    /**
     * Starts all threads together.
     *
     * @param time each thread runs the operation at least once
     */
    public static LoadResult run(int threads, Duration time, Operation operation) throws Exception {
        return run(new CompletableFuture<>(), threads, time, operation);
    }

    /**
     * Starts all threads at the given time, which other JVMs of this machine can share.
     *
     * @param start by {@link System#nanoTime()}
     * @param time each thread runs the operation at least once
     */
    public static LoadResult runFrom(long start, int threads, Duration time, Operation operation) throws Exception {
        return run(CompletableFuture.completedFuture(start), threads, time, operation);
    }

    private static LoadResult run(CompletableFuture<Long> start, int threads, Duration time, Operation operation)
            throws Exception {
        CountDownLatch ready = new CountDownLatch(threads);
        ExecutorService executor = Executors.newFixedThreadPool(threads);
        try {
            List<Future<LoadResult>> running = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                int thread = i;
                running.add(executor.submit(() -> {
                    ready.countDown();
                    return repeat(thread, start.get(), time, operation);
                }));
            }
            ready.await();
            start.complete(System.nanoTime());
            List<LoadResult> results = new ArrayList<>();
            for (Future<LoadResult> each : running) {
                results.add(each.get(time.plus(TIMEOUT).toMillis(), TimeUnit.MILLISECONDS));
            }
            return LoadResult.together(results);
        } catch (ExecutionException e) {
            throw new IllegalStateException("A thread of the workload failed", e.getCause());
        } finally {
            executor.shutdownNow();
        }
    }

    private static LoadResult repeat(int thread, long start, Duration time, Operation operation) throws Exception {
        TimeUnit.NANOSECONDS.sleep(start - System.nanoTime());
        Histogram latencies = LoadResult.newHistogram();
        long end = start + time.toNanos();
        long inTime = 0;
        long all = 0;
        do {
            latencies.recordValue(operation.run(thread));
            all++;
            if (System.nanoTime() - end < 0) {
                inTime++;
            }
        } while (System.nanoTime() - end < 0);
        return new LoadResult(new long[] {inTime}, all, time, latencies);
    }
}
