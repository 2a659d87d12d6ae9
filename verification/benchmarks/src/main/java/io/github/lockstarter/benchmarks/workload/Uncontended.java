package io.github.lockstarter.benchmarks.workload;

import io.github.lockstarter.benchmarks.client.ClientKind;
import io.github.lockstarter.benchmarks.client.LockClient;
import io.github.lockstarter.benchmarks.measure.LoadGenerator;
import io.github.lockstarter.benchmarks.measure.Row;
import java.time.Duration;
import java.util.List;

/** Each thread has its own key. */
record Uncontended(Lineup lineup, int threads) {

    private static final Duration ROUND = Duration.ofMillis(1200);

    static Workload workload(Lineup lineup, int threads) {
        return lineup.workload(
                "uncontended-" + threads,
                "Uncontended, " + threads + (threads == 1 ? " thread" : " threads"),
                "Each thread acquires and releases a key of its own. Latency: acquire and release together.",
                new Uncontended(lineup, threads)::run);
    }

    private List<Row> run(Bench bench) throws Exception {
        List<ClientKind> kinds = bench.clients(lineup.clients());
        Duration time = bench.roundTime(ROUND);
        try (Instances instances = Instances.open(bench.addresses(kinds), kinds, 1)) {
            return bench.rounds().run(kinds, kind -> {
                LockClient client = instances.one(kind);
                return List.of(lineup.observe(
                                bench,
                                kind,
                                () -> LoadGenerator.run(
                                        threads, time, thread -> acquireAndRelease(client, "own:" + thread)))
                        .measurement());
            });
        }
    }

    private static long acquireAndRelease(LockClient client, String key) throws InterruptedException {
        long start = System.nanoTime();
        client.acquire(key, Bench.MAX_WAIT).release();
        return System.nanoTime() - start;
    }
}
