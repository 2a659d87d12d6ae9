package io.github.lockstarter.benchmarks.workload;

import io.github.lockstarter.benchmarks.measure.Measurement;
import io.github.lockstarter.benchmarks.measure.Metric;
import io.github.lockstarter.benchmarks.measure.Yield;
import io.github.lockstarter.benchmarks.server.ServerObserver;
import io.github.lockstarter.benchmarks.server.ServerObserver.Observed;
import io.github.lockstarter.benchmarks.server.ServerWork;
import io.github.lockstarter.benchmarks.server.StoreServer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;

/**
 * A round of threads, and what the server did for it.
 *
 * @param yield what the threads did
 * @param server what the server did per operation
 */
record ObservedYield(Yield yield, Measurement server) {

    static ObservedYield of(ServerObserver server, Callable<Yield> round) throws Exception {
        return of(server.during(round));
    }

    static ObservedYield of(Observed<Yield> observed) {
        ServerWork work = observed.work();
        double operations = operations(observed.result());
        return new ObservedYield(
                observed.result(),
                Measurement.EMPTY
                        .with(Metric.READS, work.reads() / operations)
                        .with(Metric.COMMANDS, work.commands() / operations)
                        .with(Metric.SERVER_CPU, work.cpuMicros() / operations));
    }

    static ObservedYield of(StoreServer server, Callable<Yield> round) throws Exception {
        Duration before = server.cpuTime();
        Yield yield = round.call();
        double micros = server.cpuTime().minus(before).toNanos() / 1e3;
        return new ObservedYield(yield, Measurement.EMPTY.with(Metric.SERVER_CPU, micros / operations(yield)));
    }

    private static double operations(Yield yield) {
        return Math.max(1, yield.all());
    }

    /** Rate, latencies, and the server's work per operation. */
    Measurement measurement() {
        return yield.measurement().with(server);
    }

    List<Measurement> measurements() {
        return List.of(measurement());
    }
}
