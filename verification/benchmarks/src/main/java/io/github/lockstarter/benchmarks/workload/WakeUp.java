package io.github.lockstarter.benchmarks.workload;

import io.github.lockstarter.benchmarks.client.ClientKind;
import io.github.lockstarter.benchmarks.client.LockClient;
import io.github.lockstarter.benchmarks.client.LockClient.Hold;
import io.github.lockstarter.benchmarks.measure.Measurement;
import io.github.lockstarter.benchmarks.measure.Metric;
import io.github.lockstarter.benchmarks.measure.Row;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/** Time from the release by one client instance to the acquisition by a waiting one. */
final class WakeUp {

    static final Workload WORKLOAD = new Workload("wake-up", "Wake-up between two client instances", """
            One instance holds the key, the other waits; they take turns. The release comes at a random moment of the \
            waiter's retry interval, so that no phase is favoured. Latency: from calling release to the end of \
            the other's acquire.""", WakeUp::run);

    private static final Duration ROUND = Duration.ofSeconds(3);
    private static final Duration SETTLING = Duration.ofMillis(5);
    private static final String KEY = "wake-up";

    private WakeUp() {}

    private static List<Row> run(Bench bench) throws Exception {
        List<ClientKind> kinds = bench.clients(ClientKind.distributed());
        Duration time = bench.roundTime(ROUND);
        ExecutorService other = Executors.newSingleThreadExecutor();
        try (Instances instances = Instances.open(bench.addresses(kinds), kinds, 2)) {
            return bench.rounds().run(kinds, kind -> List.of(round(other, instances.all(kind), kind, time)));
        } finally {
            other.shutdownNow();
        }
    }

    private static Measurement round(ExecutorService other, List<LockClient> clients, ClientKind kind, Duration time)
            throws Exception {
        // The longest pause of a waiter that polls.
        long range = Duration.ofMillis(kind == ClientKind.LOCK4J ? 100 : 20).toNanos();
        Histogram latencies = new Histogram(3);
        long end = System.nanoTime() + time.toNanos();
        for (int turn = 0; System.nanoTime() - end < 0; turn++) {
            long moment = SETTLING.toNanos() + ThreadLocalRandom.current().nextLong(range);
            latencies.recordValue(wake(other, clients.get(turn % 2), clients.get((turn + 1) % 2), moment));
        }
        return Measurement.EMPTY
                .with(Metric.P50, latencies.getValueAtPercentile(50) / 1e3)
                .with(Metric.P99, latencies.getValueAtPercentile(99) / 1e3);
    }

    private static long wake(ExecutorService other, LockClient holder, LockClient waiter, long moment)
            throws Exception {
        Hold held = holder.acquire(KEY, Bench.MAX_WAIT);
        CountDownLatch asking = new CountDownLatch(1);
        Future<Long> acquired = other.submit(() -> {
            asking.countDown();
            Hold hold = waiter.acquire(KEY, Bench.MAX_WAIT);
            long now = System.nanoTime();
            hold.release();
            return now;
        });
        asking.await();
        TimeUnit.NANOSECONDS.sleep(moment);
        long released = System.nanoTime();
        held.release();
        return acquired.get() - released;
    }
}
