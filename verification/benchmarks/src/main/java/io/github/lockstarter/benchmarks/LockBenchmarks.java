package io.github.lockstarter.benchmarks;

import io.github.lockstarter.benchmarks.measure.Row;
import io.github.lockstarter.benchmarks.report.Provenance;
import io.github.lockstarter.benchmarks.report.Report;
import io.github.lockstarter.benchmarks.report.WorkloadResult;
import io.github.lockstarter.benchmarks.workload.Bench;
import io.github.lockstarter.benchmarks.workload.Workload;
import io.github.lockstarter.benchmarks.workload.Workloads;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The command line: runs one workload, {@code all} or {@code stores}, or rewrites tables and charts with {@code
 * report}.
 */
public final class LockBenchmarks {

    private static final Logger LOG = LoggerFactory.getLogger(LockBenchmarks.class);

    private static final String ALL = "all";
    private static final String STORES = "stores";
    private static final String REPORT = "report";

    private LockBenchmarks() {}

    /**
     * Prints tables, and with {@code --out=directory} adds them to the report there. Exits with 1 if something failed,
     * which is logged on standard error, and with 2 without arguments.
     */
    public static void main(String[] arguments) {
        if (arguments.length == 0) {
            System.err.println(
                    "Usage: java -jar lock-benchmarks.jar <workload> [--option=value …]; workloads: all, stores,"
                            + " report, "
                            + String.join(", ", Workloads.ids()));
            System.exit(2);
        }
        int status = 0;
        try {
            run(arguments[0], Options.parse(Arrays.copyOfRange(arguments, 1, arguments.length)), arguments);
        } catch (Exception e) {
            LOG.error("Failed: {}", String.join(" ", arguments), e);
            status = 1;
        }
        System.exit(status); // some clients leave non-daemon threads behind
    }

    private static void run(String name, Options options, String... arguments) throws Exception {
        Optional<Report> report =
                options.value("out").map(directory -> new Report(Path.of(directory), Workloads.ids()));
        if (name.equals(REPORT)) {
            report.orElseThrow(() -> new IllegalArgumentException("Give --out=directory"))
                    .render();
            return;
        }
        String command = "java -jar lock-benchmarks.jar " + String.join(" ", arguments);
        for (Workload workload : workloads(name)) {
            WorkloadResult outcome = run(workload, options, command);
            System.out.println(Report.section(outcome));
            report.ifPresent(each -> each.add(outcome));
        }
    }

    private static List<Workload> workloads(String name) {
        return switch (name) {
            case ALL -> Workloads.usual();
            case STORES -> Workloads.ofStores();
            default -> List.of(Workloads.of(name));
        };
    }

    private static WorkloadResult run(Workload workload, Options options, String command) throws Exception {
        long start = System.nanoTime();
        System.err.println("running " + workload.id());
        try (Bench bench = new Bench(options)) {
            List<Row> rows = workload.run(bench);
            Provenance provenance = Provenance.now(command, bench.servers());
            System.err.println(workload.id() + " took "
                    + Duration.ofNanos(System.nanoTime() - start).toSeconds() + " s");
            return new WorkloadResult(
                    workload.id(),
                    workload.title(),
                    workload.description(),
                    workload.charted(),
                    bench.parameters(),
                    provenance,
                    rows);
        }
    }
}
