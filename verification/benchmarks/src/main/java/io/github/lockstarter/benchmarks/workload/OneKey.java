package io.github.lockstarter.benchmarks.workload;

import io.github.lockstarter.benchmarks.client.ClientKind;
import io.github.lockstarter.benchmarks.client.LockClient;
import io.github.lockstarter.benchmarks.client.LockClient.Hold;
import io.github.lockstarter.benchmarks.measure.Fairness;
import io.github.lockstarter.benchmarks.measure.LoadGenerator;
import io.github.lockstarter.benchmarks.measure.Measurement;
import io.github.lockstarter.benchmarks.measure.Metric;
import io.github.lockstarter.benchmarks.measure.Row;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The threads of one JVM compete for one key.
 *
 * @param usualSection how long the lock is held, on the processor
 */
record OneKey(Lineup lineup, Duration usualSection) implements Workload {

    private static final int THREADS = 16;
    private static final Duration ROUND = Duration.ofMillis(1200);
    private static final String KEY = "one-key";

    /** Not synchronized, so an overlap loses increments. */
    private static final class Counter {
        private long value;
    }

    @Override
    public String id() {
        return lineup.id(usualSection.isZero() ? "one-key-empty" : "one-key-section");
    }

    @Override
    public String title() {
        return lineup.title("One key, " + THREADS + " threads of one JVM, "
                + (usualSection.isZero() ? "empty section" : usualSection.toNanos() / 1000 + " µs section"));
    }

    @Override
    public String description() {
        return "All threads acquire and release the same key; inside, a plain counter is incremented, and the CPU is kept"
                + " busy for the section. Latency: the wait for the lock.";
    }

    @Override
    public List<Metric> charted() {
        return List.of(Metric.OPERATIONS, Metric.P99);
    }

    @Override
    public List<Row> run(Bench bench) throws Exception {
        List<ClientKind> all = new ArrayList<>(lineup.clients());
        all.addAll(lineup.references());
        List<ClientKind> kinds = bench.clients(all);
        Duration time = bench.roundTime(ROUND);
        Duration section = bench.time("section", usualSection);
        int threads = bench.count("threads", THREADS);
        try (Instances instances = Instances.open(bench.addresses(kinds), kinds, 1)) {
            return bench.rounds().run(kinds, kind -> {
                LockClient client = instances.one(kind);
                Counter counter = new Counter();
                ObservedLoad round = lineup.observe(
                        bench,
                        kind,
                        () -> LoadGenerator.run(threads, time, thread -> count(client, counter, section.toNanos())));
                return List.of(measurement(round, counter));
            });
        }
    }

    private static Measurement measurement(ObservedLoad round, Counter counter) {
        return round.measurement()
                .with(Metric.FAIRNESS_OF_THREADS, Fairness.jain(round.load().shares()))
                .with(Metric.LOST_UPDATES, (double) (round.load().all() - counter.value));
    }

    private static long count(LockClient client, Counter counter, long sectionNanos) throws InterruptedException {
        long asked = System.nanoTime();
        Hold hold = client.acquire(KEY, Bench.MAX_WAIT);
        long acquired = System.nanoTime();
        counter.value++;
        while (sectionNanos > 0 && System.nanoTime() - acquired < sectionNanos) {
            Thread.onSpinWait();
        }
        hold.release();
        return acquired - asked;
    }
}
