package io.github.lockstarter.benchmarks.workload;

import io.github.lockstarter.benchmarks.client.ClientKind;
import io.github.lockstarter.benchmarks.client.LockClient;
import io.github.lockstarter.benchmarks.measure.Fairness;
import io.github.lockstarter.benchmarks.measure.LoadGenerator;
import io.github.lockstarter.benchmarks.measure.Measurement;
import io.github.lockstarter.benchmarks.measure.Metric;
import io.github.lockstarter.benchmarks.measure.Row;
import java.time.Duration;
import java.util.List;

/**
 * The threads of one JVM compete for one key.
 *
 * @param usualSection how long the lock is held, on the processor
 */
record OneKey(Lineup lineup, Duration usualSection) {

    private static final int THREADS = 16;
    private static final Duration ROUND = Duration.ofMillis(1200);
    private static final String KEY = "one-key";
    private static final String DESCRIPTION = """
            All threads acquire and release the same key; inside, a plain counter is incremented, and the CPU is kept \
            busy for the section. Latency: the wait for the lock.""";

    /** Not synchronized, so an overlap loses increments. */
    private static final class Counter {
        private long value;
    }

    static Workload workload(Lineup lineup, Duration section) {
        boolean empty = section.isZero();
        return lineup.workload(
                empty ? "one-key-empty" : "one-key-section",
                "One key, " + THREADS + " threads of one JVM, "
                        + (empty ? "empty section" : section.toNanos() / 1000 + " µs section"),
                DESCRIPTION,
                new OneKey(lineup, section)::run);
    }

    private List<Row> run(Bench bench) throws Exception {
        List<ClientKind> kinds = bench.clients(lineup.clients());
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
                        () -> LoadGenerator.run(
                                threads,
                                time,
                                thread -> Bench.runLocked(client, KEY, () -> count(counter, section.toNanos()))));
                return List.of(measurement(round, counter));
            });
        }
    }

    private static Measurement measurement(ObservedLoad round, Counter counter) {
        return round.measurement()
                .with(Metric.FAIRNESS_OF_THREADS, Fairness.jain(round.load().shares()))
                .with(Metric.LOST_UPDATES, (double) (round.load().all() - counter.value));
    }

    private static void count(Counter counter, long sectionNanos) {
        long start = System.nanoTime();
        counter.value++;
        while (sectionNanos > 0 && System.nanoTime() - start < sectionNanos) {
            Thread.onSpinWait();
        }
    }
}
