package io.github.lockstarter.benchmarks.workload;

import io.github.lockstarter.benchmarks.client.ClientKind.Role;
import io.github.lockstarter.benchmarks.measure.Measurement;
import io.github.lockstarter.benchmarks.measure.Metric;
import io.github.lockstarter.benchmarks.measure.Row;
import io.github.lockstarter.benchmarks.micro.AnnotationBenchmark;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/** The cost of the starter without a network, measured by JMH. */
final class InJvm {

    static final Workload WORKLOAD = new Workload("in-jvm", "Inside the JVM", """
            JMH, average time and bytes allocated (-prof gc). Template and annotation lock in this JVM \
            (distributed-lock.backend=local), a new key with each call.""", InJvm::run);

    private static final Duration ROUND = Duration.ofSeconds(1);
    private static final int WARM_UP = 5;
    private static final int MEASURED = 5;
    private static final String ALLOCATION = "gc.alloc.rate.norm";

    /** By benchmark method. */
    private static final Map<String, String> LABELS = Map.of(
            "plain", "plain call", "template", "call under LockTemplate", "annotation", "call under @DistributedLock");

    private InJvm() {}

    private static List<Row> run(Bench bench) throws Exception {
        TimeValue iteration = TimeValue.milliseconds(bench.roundTime(ROUND).toMillis());
        ChainedOptionsBuilder options = new OptionsBuilder()
                .include(AnnotationBenchmark.class.getName())
                .addProfiler(GCProfiler.class)
                .forks(bench.count("forks", 1))
                .warmupIterations(bench.count("warm-up", WARM_UP))
                .measurementIterations(bench.count("rounds", MEASURED))
                .warmupTime(iteration)
                .measurementTime(iteration)
                .verbosity(VerboseMode.SILENT)
                .shouldFailOnError(true);
        return new Runner(options.build()).run().stream().map(InJvm::row).toList();
    }

    private static Row row(RunResult result) {
        String method = result.getPrimaryResult().getLabel();
        List<Measurement> rounds = result.getBenchmarkResults().stream()
                .flatMap(fork -> fork.getIterationResults().stream())
                .map(InJvm::measurement)
                .toList();
        return Row.of(method, LABELS.getOrDefault(method, method), Role.REFERENCE, rounds);
    }

    private static Measurement measurement(IterationResult iteration) {
        Result<?> allocation = iteration.getSecondaryResults().get(ALLOCATION);
        Measurement time = Measurement.EMPTY.with(
                Metric.NANOS, iteration.getPrimaryResult().getScore());
        return allocation == null ? time : time.with(Metric.ALLOCATED, allocation.getScore());
    }
}
