package io.github.lockstarter.benchmarks.workload;

import io.github.lockstarter.benchmarks.measure.Metric;
import io.github.lockstarter.benchmarks.measure.Row;
import java.util.List;

/** Something that is measured with several clients. */
public interface Workload {

    /**
     * Its name on the command line.
     *
     * @return lower case with hyphens
     */
    String id();

    /**
     * Its heading.
     *
     * @return a few words
     */
    String title();

    /**
     * What happens in it, and what its latency is.
     *
     * @return one or two sentences
     */
    String description();

    /**
     * What its chart shows.
     *
     * @return one metric per panel
     */
    List<Metric> charted();

    /**
     * Runs it.
     *
     * @param bench Redis and parameters
     * @return a row for each client
     * @throws Exception when it fails
     */
    List<Row> run(Bench bench) throws Exception;
}
