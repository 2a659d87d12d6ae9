package io.github.lockstarter.benchmarks.workload;

import io.github.lockstarter.benchmarks.measure.Measurement;
import io.github.lockstarter.benchmarks.measure.Metric;
import io.github.lockstarter.benchmarks.measure.Row;
import io.github.lockstarter.benchmarks.micro.AnnotationBenchmark;
import io.github.lockstarter.benchmarks.micro.KeyExpressionBenchmark;
import io.github.lockstarter.benchmarks.micro.MetricsBenchmark;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.BenchmarkResult;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/** The cost of the starter without a network, measured by JMH. */
record InJvm() implements Workload {

    private static final Duration ROUND = Duration.ofSeconds(1);
    private static final int WARM_UP = 5;
    private static final int MEASURED = 5;
    private static final int FORKS = 1;
    private static final String ALLOCATION = "gc.alloc.rate.norm";

    /** Row labels by benchmark method, in the order of the table. */
    private static final Map<String, String> LABELS = new LinkedHashMap<>();

    static {
        LABELS.put("plain", "plain call");
        LABELS.put("template", "call under LockTemplate");
        LABELS.put("annotation", "call under @DistributedLock");
        LABELS.put("templateInTransaction", "transaction of nothing, call under LockTemplate");
        LABELS.put("annotationInTransaction", "the same, call under @DistributedLock");
        LABELS.put("releaseAfter", "the same, RELEASE_AFTER");
        LABELS.put("argument", "key: #id");
        LABELS.put("property", "key: #id + ':' + #order.customer");
        LABELS.put("recordOne", "meters: acquire and release");
        LABELS.put("recordTogether", "meters: the same, 4 threads");
    }

    @Override
    public String id() {
        return "in-jvm";
    }

    @Override
    public String title() {
        return "Inside the JVM";
    }

    @Override
    public String description() {
        return "JMH, average time and bytes allocated (-prof gc). Template and annotation lock in this JVM"
                + " (distributed-lock.backend=local), a new key with each call.";
    }

    @Override
    public List<Metric> charted() {
        return List.of(Metric.NANOS, Metric.ALLOCATED);
    }

    @Override
    public List<Row> run(Bench bench) throws Exception {
        TimeValue iteration = TimeValue.milliseconds(bench.roundTime(ROUND).toMillis());
        ChainedOptionsBuilder options = new OptionsBuilder()
                .include(AnnotationBenchmark.class.getName())
                .include(KeyExpressionBenchmark.class.getName())
                .include(MetricsBenchmark.class.getName())
                .addProfiler(GCProfiler.class)
                .forks(bench.count("forks", FORKS))
                .warmupIterations(bench.count("warm-up", WARM_UP))
                .measurementIterations(bench.count("rounds", MEASURED))
                .warmupTime(iteration)
                .measurementTime(iteration)
                .verbosity(VerboseMode.SILENT)
                .shouldFailOnError(true);
        List<Row> rows = new ArrayList<>();
        for (RunResult result : new Runner(options.build()).run()) {
            rows.add(row(result));
        }
        List<String> order = List.copyOf(LABELS.keySet());
        rows.sort(Comparator.comparingInt(row -> order.indexOf(row.id())));
        return rows;
    }

    private static Row row(RunResult result) {
        String id = result.getPrimaryResult().getLabel();
        List<Measurement> rounds = new ArrayList<>();
        for (BenchmarkResult fork : result.getBenchmarkResults()) {
            fork.getIterationResults().forEach(iteration -> rounds.add(measurement(iteration)));
        }
        return new Row(id, LABELS.getOrDefault(id, id), rounds);
    }

    private static Measurement measurement(IterationResult iteration) {
        Result<?> allocation = iteration.getSecondaryResults().get(ALLOCATION);
        Measurement time = Measurement.EMPTY.with(
                Metric.NANOS, iteration.getPrimaryResult().getScore());
        return allocation == null ? time : time.with(Metric.ALLOCATED, allocation.getScore());
    }
}
