package io.github.lockstarter.benchmarks.report;

import io.github.lockstarter.benchmarks.client.ClientKind;
import io.github.lockstarter.benchmarks.measure.Metric;
import io.github.lockstarter.benchmarks.measure.Row;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.function.Function;
import java.util.stream.Collectors;

/** A workload in Markdown. */
final class OutcomeSection {

    /** The first one that was measured is compared with all others. */
    private static final List<ClientKind> SUBJECTS = List.of(ClientKind.STARTER, ClientKind.STARTER_REDIS);

    private final WorkloadResult outcome;

    OutcomeSection(WorkloadResult outcome) {
        this.outcome = outcome;
    }

    String text() {
        return "## " + outcome.title() + "\n\n" + outcome.description() + "\n\n" + figures() + ratios() + apart() + "\n"
                + origin() + "\n";
    }

    private String figures() {
        return figures("", outcome.compared());
    }

    private String apart() {
        return outcome.apart().isEmpty() ? "" : "\n" + figures("apart, compared with no other", outcome.apart());
    }

    private String figures(String first, List<Row> rows) {
        List<Metric> metrics = List.copyOf(outcome.metrics());
        return head(first, metrics)
                + rows.stream()
                        .map(row -> "| " + row.label() + " | "
                                + cells(metrics, metric -> row.spread(metric)
                                        .map(NumberText::of)
                                        .orElse("n/a")))
                        .collect(Collectors.joining());
    }

    /** The starter's medians divided by those of other clients. */
    private String ratios() {
        return SUBJECTS.stream()
                .filter(kind -> outcome.rows().stream().anyMatch(row -> row.id().equals(kind.id())))
                .findFirst()
                .map(this::ratios)
                .orElse("");
    }

    private String ratios(ClientKind subject) {
        List<Metric> metrics = outcome.metrics().stream()
                .filter(metric -> outcome.median(subject.id(), metric).orElse(0) != 0)
                .toList();
        List<Row> others = outcome.compared().stream()
                .filter(row -> !row.id().equals(subject.id()))
                .toList();
        if (metrics.isEmpty() || others.isEmpty()) {
            return "";
        }
        return "\n" + head(subject.label() + " ÷", metrics)
                + others.stream()
                        .map(row -> "| " + row.label() + " | " + cells(metrics, metric -> ratio(subject, row, metric)))
                        .collect(Collectors.joining());
    }

    private String ratio(ClientKind subject, Row other, Metric metric) {
        OptionalDouble theirs = outcome.median(other.id(), metric);
        double ours = outcome.median(subject.id(), metric).orElse(0);
        return theirs.orElse(0) == 0 ? "n/a" : NumberText.of(ours / theirs.getAsDouble());
    }

    private static String head(String first, List<Metric> metrics) {
        return "| " + first + " | " + cells(metrics, Metric::label) + "|---|" + "---|".repeat(metrics.size()) + "\n";
    }

    private static String cells(List<Metric> metrics, Function<Metric, String> cell) {
        return metrics.stream().map(cell).collect(Collectors.joining(" | ")) + " |\n";
    }

    private String origin() {
        Provenance provenance = outcome.provenance();
        return "`" + provenance.command() + "`, " + provenance.date() + "; " + list(outcome.parameters()) + "; "
                + list(provenance.machine()) + ".\n";
    }

    private static String list(Map<String, String> values) {
        return values.entrySet().stream()
                .sorted(Map.Entry.comparingByKey())
                .map(entry -> entry.getKey() + " " + entry.getValue())
                .collect(Collectors.joining(", "));
    }
}
