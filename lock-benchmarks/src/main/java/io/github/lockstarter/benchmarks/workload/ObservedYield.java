package io.github.lockstarter.benchmarks.workload;

import io.github.lockstarter.benchmarks.measure.Measurement;
import io.github.lockstarter.benchmarks.measure.Metric;
import io.github.lockstarter.benchmarks.measure.Yield;
import io.github.lockstarter.benchmarks.server.ServerObserver;
import io.github.lockstarter.benchmarks.server.ServerObserver.Observed;
import io.github.lockstarter.benchmarks.server.ServerWork;
import java.util.List;
import java.util.concurrent.Callable;

/**
 * A round of threads, and what the server did for it.
 *
 * @param yield what the threads did
 * @param work what the server did
 */
record ObservedYield(Yield yield, ServerWork work) {

    static ObservedYield of(ServerObserver server, Callable<Yield> round) throws Exception {
        Observed<Yield> observed = server.during(round);
        return new ObservedYield(observed.result(), observed.work());
    }

    /** Rate, latencies, and the server's work per operation. */
    Measurement measurement() {
        double operations = Math.max(1, yield.all());
        return yield.measurement()
                .with(Metric.READS, work.reads() / operations)
                .with(Metric.COMMANDS, work.commands() / operations)
                .with(Metric.SERVER_CPU, work.cpuMicros() / operations);
    }

    List<Measurement> measurements() {
        return List.of(measurement());
    }
}
