package io.github.lockstarter.benchmarks.measure;

import io.github.lockstarter.benchmarks.client.ClientKind.Role;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The figures of a workload, and when, how and where they were measured.
 *
 * @param date in UTC
 * @param parameters value by name
 * @param environment machine and servers by name
 * @param metrics which values are better, by label of each measured metric in the order of columns
 */
public record WorkloadResult(
        String workload,
        String title,
        String description,
        String date,
        String command,
        Map<String, String> parameters,
        Map<String, String> environment,
        Map<String, Metric.Better> metrics,
        List<Row> rows) {

    /** The metrics of rows. */
    public static Map<String, Metric.Better> metricsOf(List<Row> rows) {
        Map<String, Metric.Better> metrics = new LinkedHashMap<>();
        Stream.of(Metric.values())
                .filter(metric ->
                        rows.stream().anyMatch(row -> row.figure(metric).isPresent()))
                .forEach(metric -> metrics.put(metric.label(), metric.better()));
        return metrics;
    }

    /** A line of figures per client, and a line of ratios of the starter to each other client. */
    public String text() {
        Stream<String> ratios = rows.stream()
                .filter(row -> row.role() == Role.SUBJECT)
                .limit(1)
                .flatMap(subject -> rows.stream()
                        .filter(row -> !row.equals(subject))
                        .map(row -> "÷ " + row.label() + row.ratiosOf(subject)));
        return Stream.concat(rows.stream().map(row -> row.label() + row.text()), ratios)
                .collect(Collectors.joining("\n", title + "\n", "\n"));
    }
}
