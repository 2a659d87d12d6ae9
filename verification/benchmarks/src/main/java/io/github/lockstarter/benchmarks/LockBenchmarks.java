package io.github.lockstarter.benchmarks;

import io.github.lockstarter.benchmarks.measure.Environment;
import io.github.lockstarter.benchmarks.measure.Results;
import io.github.lockstarter.benchmarks.measure.Row;
import io.github.lockstarter.benchmarks.measure.WorkloadResult;
import io.github.lockstarter.benchmarks.workload.Bench;
import io.github.lockstarter.benchmarks.workload.Workload;
import io.github.lockstarter.benchmarks.workload.Workloads;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The command line: runs one workload, {@code all} or {@code stores}. */
public final class LockBenchmarks {

    private static final Logger LOG = LoggerFactory.getLogger(LockBenchmarks.class);

    private LockBenchmarks() {}

    /**
     * Prints figures, and with {@code --out=directory} adds them to {@code results.json} there. Exits with 1 if
     * something failed, which is logged on standard error, and with 2 without arguments.
     */
    public static void main(String[] arguments) {
        if (arguments.length == 0) {
            System.err.println(
                    "Usage: java -jar lock-benchmarks.jar <workload> [--option=value …]; workloads: all, stores, "
                            + String.join(", ", Workloads.ids()));
            System.exit(2);
        }
        int status = 0;
        try {
            run(arguments);
        } catch (Exception e) {
            LOG.error("Failed: {}", String.join(" ", arguments), e);
            status = 1;
        }
        System.exit(status); // some clients leave non-daemon threads behind
    }

    private static void run(String... arguments) throws Exception {
        Options options = Options.parse(Arrays.copyOfRange(arguments, 1, arguments.length));
        for (Workload workload : Workloads.named(arguments[0])) {
            System.err.println("running " + workload.id());
            WorkloadResult result = run(workload, options, String.join(" ", arguments));
            System.out.println(result.text());
            if (options.value("out").isPresent()) {
                Path directory = Path.of(options.value("out").get());
                Results.add(directory.resolve("results.json"), result, Workloads.ids());
            }
        }
    }

    private static WorkloadResult run(Workload workload, Options options, String arguments) throws Exception {
        try (Bench bench = new Bench(options)) {
            List<Row> rows = workload.run(bench);
            return new WorkloadResult(
                    workload.id(),
                    workload.title(),
                    workload.description(),
                    LocalDate.now(ZoneOffset.UTC).toString(),
                    "java -jar lock-benchmarks.jar " + arguments,
                    bench.parameters(),
                    Environment.with(bench.servers()),
                    WorkloadResult.metricsOf(rows),
                    rows);
        }
    }
}
