package io.github.lockstarter.benchmarks.workload;

import io.github.lockstarter.benchmarks.client.ClientKind;
import io.github.lockstarter.benchmarks.client.LockClient;
import io.github.lockstarter.benchmarks.measure.LoadGenerator;
import io.github.lockstarter.benchmarks.measure.Metric;
import io.github.lockstarter.benchmarks.measure.Row;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/** Each thread has its own key. */
record Uncontended(Lineup lineup, int threads) implements Workload {

    private static final Duration ROUND = Duration.ofMillis(1200);

    @Override
    public String id() {
        return lineup.id("uncontended-" + threads);
    }

    @Override
    public String title() {
        return lineup.title(threads == 1 ? "Uncontended, 1 thread" : "Uncontended, " + threads + " threads");
    }

    @Override
    public String description() {
        return "Each thread acquires and releases a key of its own. Latency: acquire and release together.";
    }

    @Override
    public List<Metric> charted() {
        return List.of(Metric.OPERATIONS);
    }

    @Override
    public List<Row> run(Bench bench) throws Exception {
        List<ClientKind> kinds = bench.clients(Stream.concat(lineup.clients().stream(), lineup.apart().stream())
                .toList());
        Duration time = bench.roundTime(ROUND);
        try (Instances instances = Instances.open(bench.addresses(kinds), kinds, 1)) {
            return bench.rounds().run(kinds, kind -> {
                LockClient client = instances.one(kind);
                return lineup.observe(
                                bench,
                                kind,
                                () -> LoadGenerator.run(
                                        threads, time, thread -> acquireAndRelease(client, "own:" + thread)))
                        .measurements();
            });
        }
    }

    private static long acquireAndRelease(LockClient client, String key) throws InterruptedException {
        long start = System.nanoTime();
        client.acquire(key, Bench.MAX_WAIT).release();
        return System.nanoTime() - start;
    }
}
