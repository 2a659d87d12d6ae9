package io.github.lockstarter.benchmarks.workload;

import io.github.lockstarter.benchmarks.client.ClientKind;
import io.github.lockstarter.benchmarks.client.LockClient;
import io.github.lockstarter.benchmarks.measure.Fairness;
import io.github.lockstarter.benchmarks.measure.LoadGenerator;
import io.github.lockstarter.benchmarks.measure.LoadResult;
import io.github.lockstarter.benchmarks.measure.Measurement;
import io.github.lockstarter.benchmarks.measure.Metric;
import io.github.lockstarter.benchmarks.measure.Row;
import io.github.lockstarter.benchmarks.server.ServerObserver.Observed;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** Many client instances with one thread each compete for one key. */
final class ManyInstances {

    static final Workload WORKLOAD =
            new Workload("twenty-instances", "20 client instances, one key", """
            Each instance has connections of its own and one thread; inside the lock it sleeps for the section. A try \
            is a command or script that asks for the lock: all scripts but one release per acquisition; of the floor, \
            each SET. Latency: the wait for the lock.""", ManyInstances::run);

    private static final int INSTANCES = 20;
    private static final Duration ROUND = Duration.ofSeconds(2);
    private static final Duration SECTION = Duration.ofMillis(1);
    private static final String KEY = "many-instances";

    private ManyInstances() {}

    private static List<Row> run(Bench bench) throws Exception {
        List<ClientKind> kinds = bench.clients(ClientKind.distributed());
        Duration time = bench.roundTime(ROUND);
        Duration section = bench.time("section", SECTION);
        int count = bench.count("instances", INSTANCES);
        try (Instances instances = Instances.open(bench.addresses(kinds), kinds, count)) {
            return bench.rounds().run(kinds, kind -> {
                List<LockClient> clients = instances.all(kind);
                Observed<LoadResult> round = bench.redis()
                        .during(() -> LoadGenerator.run(
                                count,
                                time,
                                thread -> Bench.runLocked(
                                        clients.get(thread), KEY, () -> LockSupport.parkNanos(section.toNanos()))));
                return List.of(measurement(round));
            });
        }
    }

    private static Measurement measurement(Observed<LoadResult> round) {
        long acquisitions = Math.max(1, round.result().all());
        long scripts = round.work().scripts().count() - acquisitions;
        boolean countsTries = scripts > acquisitions / 2; // fewer are heartbeats of other clients
        long tries = countsTries ? scripts : round.work().sets().count();
        return ObservedLoad.of(round)
                .measurement()
                .with(Metric.TRIES, (double) tries / acquisitions)
                .with(Metric.FAIRNESS_OF_INSTANCES, Fairness.jain(round.result().shares()));
    }
}
