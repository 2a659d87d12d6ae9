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

/** Threads that repeat an operation for a while, each as fast as it can. */
public final class Crew {

    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private Crew() {}

    /** What the threads repeat. */
    @FunctionalInterface
    public interface Operation {

        /**
         * Does it once.
         *
         * @param thread number of the calling thread, from 0
         * @return nanoseconds that the workload calls its latency
         * @throws Exception when it fails, which ends the round
         */
        long run(int thread) throws Exception;
    }

    /**
     * Starts all threads together, as soon as they are there.
     *
     * @param threads how many
     * @param time how long; each thread runs the operation at least once
     * @param operation what they repeat
     * @return what they did
     * @throws Exception when one of them failed
     */
    public static Yield run(int threads, Duration time, Operation operation) throws Exception {
        return run(new CompletableFuture<>(), threads, time, operation);
    }

    /**
     * Starts all threads at a given time, which may be the same in other JVMs of this machine.
     *
     * @param start on the clock of {@link System#nanoTime()}
     * @param threads how many
     * @param time how long; each thread runs the operation at least once
     * @param operation what they repeat
     * @return what they did
     * @throws Exception when one of them failed
     */
    public static Yield runFrom(long start, int threads, Duration time, Operation operation) throws Exception {
        return run(CompletableFuture.completedFuture(start), threads, time, operation);
    }

    private static Yield run(CompletableFuture<Long> start, int threads, Duration time, Operation operation)
            throws Exception {
        CountDownLatch ready = new CountDownLatch(threads);
        ExecutorService executor = Executors.newFixedThreadPool(threads);
        try {
            List<Future<Yield>> running = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                int thread = i;
                running.add(executor.submit(() -> {
                    ready.countDown();
                    return repeat(thread, start.get(), time, operation);
                }));
            }
            ready.await();
            start.complete(System.nanoTime());
            List<Yield> yields = new ArrayList<>();
            for (Future<Yield> each : running) {
                yields.add(each.get(time.plus(PATIENCE).toMillis(), TimeUnit.MILLISECONDS));
            }
            return Yield.together(yields);
        } catch (ExecutionException e) {
            throw new IllegalStateException("A thread of the workload failed", e.getCause());
        } finally {
            executor.shutdownNow();
        }
    }

    private static Yield repeat(int thread, long start, Duration time, Operation operation) throws Exception {
        TimeUnit.NANOSECONDS.sleep(start - System.nanoTime());
        Histogram latencies = Yield.newHistogram();
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
        return new Yield(new long[] {inTime}, all, time, latencies);
    }
}
