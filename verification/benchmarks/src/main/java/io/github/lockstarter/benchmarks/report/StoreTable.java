package io.github.lockstarter.benchmarks.report;

import io.github.lockstarter.benchmarks.client.ClientKind;
import io.github.lockstarter.benchmarks.measure.Metric;
import java.util.List;
import java.util.OptionalDouble;
import java.util.stream.Collectors;

/** A table of the stores with one column per workload. */
final class StoreTable {

    private static final String INTRODUCTION = """
            ## Which store

            One server each on the machine of its clients, as it is unless configured otherwise: Redis keeps locks in memory,
            the others answer when a write is on the disk. Each figure is a median of a table below; a client is missing
            where it cannot take part.

            """;

    private static final List<Column> COLUMNS = List.of(
            new Column("stores-uncontended-1", Metric.P50, "uncontended, 1 thread: p50 µs"),
            new Column("stores-uncontended-32", Metric.OPERATIONS, "32 threads: ops/s"),
            new Column("stores-one-key-empty", Metric.OPERATIONS, "one key, 1 JVM: ops/s"),
            new Column("stores-three-jvms", Metric.OPERATIONS, "one key, 3 JVMs: ops/s"),
            new Column("stores-three-jvms", Metric.P99, "the same: p99 µs"),
            new Column("stores-three-jvms", Metric.FAIRNESS_OF_INSTANCES, "the same: Jain, JVMs"),
            new Column("stores-crash", Metric.P50_SECONDS, "next owner after kill -9: p50 s"),
            new Column("stores-memory", Metric.BYTES_PER_HELD, "server B/held lock"));

    private StoreTable() {}

    private record Column(String workload, Metric metric, String heading) {

        private String cell(Results results, ClientKind kind) {
            OptionalDouble median = results.of(workload).stream()
                    .flatMapToDouble(outcome -> outcome.median(kind.id(), metric).stream())
                    .findFirst();
            return median.isPresent() ? NumberText.of(median.getAsDouble()) : "";
        }
    }

    /** The section; empty if no store was measured. */
    static String section(Results results) {
        List<Column> columns = COLUMNS.stream()
                .filter(column -> results.of(column.workload).isPresent())
                .toList();
        if (columns.isEmpty()) {
            return "";
        }
        String head = "| | "
                + columns.stream().map(Column::heading).collect(Collectors.joining(" | "))
                + " |\n|---|" + "---|".repeat(columns.size()) + "\n";
        return INTRODUCTION
                + head
                + ClientKind.ofStores().stream()
                        .map(kind -> "| " + kind.label() + " | "
                                + columns.stream()
                                        .map(column -> column.cell(results, kind))
                                        .collect(Collectors.joining(" | "))
                                + " |\n")
                        .collect(Collectors.joining())
                + "\n";
    }
}
