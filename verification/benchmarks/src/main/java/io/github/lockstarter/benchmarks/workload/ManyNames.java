package io.github.lockstarter.benchmarks.workload;

import io.github.lockstarter.benchmarks.client.ClientKind;
import io.github.lockstarter.benchmarks.client.LockClient;
import io.github.lockstarter.benchmarks.measure.LoadGenerator;
import io.github.lockstarter.benchmarks.measure.Row;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/** The threads of one JVM compete for many names with very different frequencies. */
final class ManyNames {

    static final Workload WORKLOAD =
            new Workload("thousand-names", "1,000 contended names in one client", """
            Each thread acquires and releases names at random, the n-th most wanted with a frequency of 1/n (Zipf); \
            every client meets the same sequence. Latency: the wait for the lock.""", ManyNames::run);

    private static final int NAMES = 1_000;
    private static final int THREADS = 64;
    private static final int CHOICES = 8_192;
    private static final Duration ROUND = Duration.ofSeconds(2);

    private ManyNames() {}

    private static List<Row> run(Bench bench) throws Exception {
        List<ClientKind> kinds = bench.clients(ClientKind.distributed());
        Duration time = bench.roundTime(ROUND);
        int threads = bench.count("threads", THREADS);
        List<String[]> choices =
                IntStream.range(0, threads).mapToObj(ManyNames::choices).toList();
        try (Instances instances = Instances.open(bench.addresses(kinds), kinds, 1)) {
            return bench.rounds().run(kinds, kind -> {
                LockClient client = instances.one(kind);
                int[] turns = new int[threads];
                return List.of(ObservedLoad.of(
                                bench.redis(),
                                () -> LoadGenerator.run(
                                        threads,
                                        time,
                                        thread -> Bench.runLocked(
                                                client, choices.get(thread)[turns[thread]++ % CHOICES], () -> {})))
                        .measurement());
            });
        }
    }

    private static String[] choices(int seed) {
        double[] cumulative = new double[NAMES];
        double sum = 0;
        for (int i = 0; i < NAMES; i++) {
            sum += 1.0 / (i + 1);
            cumulative[i] = sum;
        }
        SplittableRandom random = new SplittableRandom(seed);
        String[] choices = new String[CHOICES];
        for (int i = 0; i < CHOICES; i++) {
            int found = Arrays.binarySearch(cumulative, random.nextDouble(sum));
            choices[i] = "name:" + (found < 0 ? -found - 1 : found);
        }
        return choices;
    }
}
