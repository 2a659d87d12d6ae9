package io.github.lockstarter.benchmarks.workload;

import io.github.lockstarter.benchmarks.measure.Metric;
import io.github.lockstarter.benchmarks.measure.Row;
import java.util.List;

/** A measurement of several clients. */
public interface Workload {

    /** Its name on the command line. */
    String id();

    String title();

    /** One or two sentences, which define the latency. */
    String description();

    /** The metrics of the chart. */
    List<Metric> charted();

    /** Returns a row per client. */
    List<Row> run(Bench bench) throws Exception;
}
