package io.github.lockstarter.benchmarks.workload;

import io.github.lockstarter.benchmarks.measure.LoadResult;
import io.github.lockstarter.benchmarks.measure.Measurement;
import io.github.lockstarter.benchmarks.measure.Metric;
import io.github.lockstarter.benchmarks.server.ServerObserver;
import io.github.lockstarter.benchmarks.server.ServerObserver.Observed;
import io.github.lockstarter.benchmarks.server.ServerWork;
import io.github.lockstarter.benchmarks.server.StoreServer;
import java.time.Duration;
import java.util.concurrent.Callable;

/** The result of a round and the server's work per operation. */
record ObservedLoad(LoadResult load, Measurement server) {

    static ObservedLoad of(ServerObserver server, Callable<LoadResult> round) throws Exception {
        return of(server.during(round));
    }

    static ObservedLoad of(Observed<LoadResult> observed) {
        ServerWork work = observed.work();
        double operations = operations(observed.result());
        return new ObservedLoad(
                observed.result(),
                Measurement.EMPTY
                        .with(Metric.READS, work.reads() / operations)
                        .with(Metric.COMMANDS, work.commands() / operations)
                        .with(Metric.SERVER_CPU, work.cpuMicros() / operations));
    }

    static ObservedLoad of(StoreServer server, Callable<LoadResult> round) throws Exception {
        Duration before = server.cpuTime();
        LoadResult load = round.call();
        double micros = server.cpuTime().minus(before).toNanos() / 1e3;
        return new ObservedLoad(load, Measurement.EMPTY.with(Metric.SERVER_CPU, micros / operations(load)));
    }

    private static double operations(LoadResult load) {
        return Math.max(1, load.all());
    }

    /** Rate, latencies and the server's work per operation. */
    Measurement measurement() {
        return load.measurement().with(server);
    }
}
