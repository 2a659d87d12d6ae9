package io.github.lockstarter.benchmarks.measure;

import io.github.lockstarter.benchmarks.client.ClientKind;
import io.github.lockstarter.benchmarks.client.ClientKind.Role;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The figures of one client.
 *
 * @param figures by label of the metric
 */
public record Row(String client, String label, Role role, Map<String, Figure> figures) {

    /** The figures of these rounds. */
    public static Row of(ClientKind kind, List<Measurement> rounds) {
        return of(kind.id(), kind.label(), kind.role(), rounds);
    }

    /** The figures of these rounds, in the order of the metrics. */
    public static Row of(String client, String label, Role role, List<Measurement> rounds) {
        Map<String, Figure> figures = new LinkedHashMap<>();
        for (Metric metric : Metric.values()) {
            List<Double> values = rounds.stream()
                    .flatMap(round -> round.value(metric).stream())
                    .toList();
            if (!values.isEmpty()) {
                figures.put(metric.label(), Figure.of(values));
            }
        }
        return new Row(client, label, role, figures);
    }

    /** Empty if not measured. */
    public Optional<Figure> figure(Metric metric) {
        return Optional.ofNullable(figures.get(metric.label()));
    }

    /** Such as {@code : ops/s 3.14 (2.72–10), p50 µs 250}. */
    String text() {
        return figures.entrySet().stream()
                .map(each -> each.getKey() + " " + each.getValue().text())
                .collect(Collectors.joining(", ", ": ", ""));
    }

    /** Medians of another client, divided by those of this one. */
    String ratiosOf(Row other) {
        return figures.entrySet().stream()
                .filter(each -> each.getValue().median() != 0)
                .flatMap(each -> Stream.ofNullable(other.figures.get(each.getKey()))
                        .map(theirs -> each.getKey() + " "
                                + Figure.number(
                                        theirs.median() / each.getValue().median())))
                .collect(Collectors.joining(", ", ": ", ""));
    }
}
