package io.github.lockstarter.benchmarks.report;

import io.github.lockstarter.benchmarks.client.ClientKind;
import io.github.lockstarter.benchmarks.client.ClientKind.Role;
import io.github.lockstarter.benchmarks.measure.Metric;
import io.github.lockstarter.benchmarks.measure.Metric.Better;
import io.github.lockstarter.benchmarks.measure.Row;
import io.github.lockstarter.benchmarks.measure.Spread;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.DoubleStream;

/**
 * The result of a workload.
 *
 * @param charted metrics of the chart
 * @param parameters value by name
 * @param rows one per client
 */
public record WorkloadResult(
        String id,
        String title,
        String description,
        List<Metric> charted,
        Map<String, String> parameters,
        Provenance provenance,
        List<Row> rows) {

    /** All measured metrics in the order of columns. */
    Set<Metric> metrics() {
        Set<Metric> metrics = new TreeSet<>();
        rows.forEach(row -> metrics.addAll(row.metrics()));
        return metrics;
    }

    /** Rows that are compared. */
    List<Row> compared() {
        return rows.stream().filter(row -> !isApart(row)).toList();
    }

    /** Rows of clients on other terms. */
    List<Row> apart() {
        return rows.stream().filter(WorkloadResult::isApart).toList();
    }

    private static boolean isApart(Row row) {
        return ClientKind.apart().stream().anyMatch(kind -> kind.id().equals(row.id()));
    }

    /** Median of one client; empty if not measured. */
    OptionalDouble median(String rowId, Metric metric) {
        return medians(metric, row -> row.id().equals(rowId)).findFirst();
    }

    /** The best median of all peers; empty if not measured. */
    OptionalDouble bestPeer(Metric metric) {
        List<String> peers = Arrays.stream(ClientKind.values())
                .filter(kind -> kind.role() == Role.PEER)
                .map(ClientKind::id)
                .toList();
        DoubleStream medians = medians(metric, row -> peers.contains(row.id()));
        return metric.better() == Better.HIGHER ? medians.max() : medians.min();
    }

    private DoubleStream medians(Metric metric, Predicate<Row> wanted) {
        return rows.stream()
                .filter(wanted)
                .flatMap(row -> row.spread(metric).stream())
                .mapToDouble(Spread::median);
    }
}
