package io.github.lockstarter.benchmarks.workload;

import io.github.lockstarter.benchmarks.client.ClientKind;
import io.github.lockstarter.benchmarks.client.LockClient;
import io.github.lockstarter.benchmarks.client.LockClient.Hold;
import io.github.lockstarter.benchmarks.measure.Measurement;
import io.github.lockstarter.benchmarks.measure.Metric;
import io.github.lockstarter.benchmarks.measure.Row;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/** Time from the release by one client instance to the acquisition by a waiting one. */
record WakeUp() implements Workload {

    private static final Duration ROUND = Duration.ofSeconds(3);
    private static final Duration SETTLING = Duration.ofMillis(5);
    private static final Duration LEAST_RANGE = Duration.ofMillis(20);
    private static final String KEY = "wake-up";

    @Override
    public String id() {
        return "wake-up";
    }

    @Override
    public String title() {
        return "Wake-up between two client instances";
    }

    @Override
    public String description() {
        return "One instance holds the key, the other waits; they take turns. The release comes at a random moment of the"
                + " waiter's retry interval, so that no phase is favoured. Latency: from calling release to the end of"
                + " the other's acquire.";
    }

    @Override
    public List<Metric> charted() {
        return List.of(Metric.P50, Metric.P99);
    }

    /** A client instance and its only thread. */
    private record Side(LockClient client, ExecutorService thread) implements AutoCloseable {

        Side(LockClient client) {
            this(client, Executors.newSingleThreadExecutor());
        }

        <T> T call(Callable<T> work) throws InterruptedException, ExecutionException {
            return thread.submit(work).get();
        }

        @Override
        public void close() {
            thread.shutdownNow();
        }
    }

    @Override
    public List<Row> run(Bench bench) throws Exception {
        List<ClientKind> kinds = bench.clients(ClientKind.distributed());
        Duration time = bench.roundTime(ROUND);
        try (Instances instances = Instances.open(bench.addresses(kinds), kinds, 2)) {
            return bench.rounds().run(kinds, kind -> {
                List<LockClient> clients = instances.all(kind);
                try (Side one = new Side(clients.get(0));
                        Side other = new Side(clients.get(1))) {
                    return List.of(round(one, other, kind.retryInterval(), time));
                }
            });
        }
    }

    private static Measurement round(Side one, Side other, Duration retryInterval, Duration time) throws Exception {
        long range = Math.max(LEAST_RANGE.toNanos(), retryInterval.toNanos());
        Histogram latencies = new Histogram(3);
        long end = System.nanoTime() + time.toNanos();
        for (boolean turn = true; System.nanoTime() - end < 0; turn = !turn) {
            latencies.recordValue(turn ? wake(one, other, range) : wake(other, one, range));
        }
        return Measurement.EMPTY
                .with(Metric.P50, latencies.getValueAtPercentile(50) / 1e3)
                .with(Metric.P99, latencies.getValueAtPercentile(99) / 1e3);
    }

    private static long wake(Side holder, Side waiter, long range) throws Exception {
        Hold held = holder.call(() -> holder.client.acquire(KEY, Bench.MAX_WAIT));
        CountDownLatch asking = new CountDownLatch(1);
        Future<Long> acquired = waiter.thread.submit(() -> {
            asking.countDown();
            Hold hold = waiter.client.acquire(KEY, Bench.MAX_WAIT);
            long now = System.nanoTime();
            hold.release();
            return now;
        });
        asking.await();
        TimeUnit.NANOSECONDS.sleep(
                SETTLING.toNanos() + ThreadLocalRandom.current().nextLong(range));
        long released = holder.call(() -> {
            long now = System.nanoTime();
            held.release();
            return now;
        });
        return acquired.get() - released;
    }
}
