package io.github.lockstarter.benchmarks.report;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;

/** A directory with {@code tables.txt}, raw results, and a chart per workload. */
public final class Report {

    private static final String HEAD = """
        # Benchmarks

        Generated from %s by lock-benchmarks. Do not edit.

        Each figure is the median of the measured rounds (smallest–largest round). Figures are comparable within a
        table, whose clients took turns in one run, and not across machines.

        """.formatted(Results.FILE);

    private static final String TARGETS = """
        ## Targets

        Ratios of medians; the targets are those of the design.

        """;

    private final Path directory;
    private final List<String> order;

    /** @param order ids of all workloads, in the order of the report */
    public Report(Path directory, List<String> order) {
        this.directory = directory;
        this.order = List.copyOf(order);
    }

    /** A workload in Markdown. */
    public static String section(WorkloadResult outcome) {
        return new OutcomeSection(outcome).text() + "\n" + Targets.table(new Results(List.of(outcome)));
    }

    /** Adds an outcome, replacing an older one of the same workload. */
    public void add(WorkloadResult outcome) {
        write(Results.read(directory).with(outcome, order));
    }

    /** Rewrites tables and charts from the raw results. */
    public void render() {
        write(Results.read(directory));
    }

    private void write(Results results) {
        try {
            Files.createDirectories(directory);
            results.write(directory);
            for (WorkloadResult outcome : results.outcomes()) {
                Files.writeString(directory.resolve(chart(outcome)), new BarChart(outcome).svg());
            }
            String sections = results.outcomes().stream()
                    .map(outcome -> new OutcomeSection(outcome).text())
                    .collect(Collectors.joining("\n"));
            Files.writeString(
                    directory.resolve("tables.txt"),
                    HEAD + StoreTable.section(results) + TARGETS + Targets.table(results) + "\n" + sections);
        } catch (IOException e) {
            throw new UncheckedIOException("Could not write the report to " + directory, e);
        }
    }

    private static String chart(WorkloadResult outcome) {
        return outcome.id() + ".svg";
    }
}
