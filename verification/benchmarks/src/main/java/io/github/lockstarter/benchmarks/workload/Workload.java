package io.github.lockstarter.benchmarks.workload;

import io.github.lockstarter.benchmarks.measure.Row;
import java.util.List;

/**
 * A measurement of several clients.
 *
 * @param id its name on the command line
 * @param description one or two sentences, which define the latency
 */
public record Workload(String id, String title, String description, Measured measured) {

    /** The work. */
    @FunctionalInterface
    interface Measured {
        List<Row> run(Bench bench) throws Exception;
    }

    /** Returns a row per client. */
    public List<Row> run(Bench bench) throws Exception {
        return measured.run(bench);
    }
}
