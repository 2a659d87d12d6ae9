package io.github.lockstarter.sample.experiment.run;

import io.github.lockstarter.sample.experiment.pageview.Variant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Results as a table of text, a row for each run. */
public final class ResultTable {

    private static final List<String> HEADER = List.of(
            "variant",
            "requests",
            "answered",
            "final count",
            "lost",
            "refused",
            "retried",
            "seconds",
            "p50 ms",
            "p99 ms",
            "requests per instance");

    private ResultTable() {}

    /**
     * Lists what interfered with them.
     *
     * @param results in this order
     * @return lines, each ended; none when nothing did
     */
    public static String actsOf(List<RunResult> results) {
        return results.stream()
                .flatMap(result -> Stream.concat(result.acts().stream(), result.missed().stream())
                        .map(act -> result.variant() + ": " + act + "\n"))
                .collect(Collectors.joining());
    }

    /**
     * Lays them out.
     *
     * @param results in this order
     * @return lines, each ended
     */
    public static String of(List<RunResult> results) {
        List<List<String>> rows = new ArrayList<>();
        rows.add(HEADER);
        results.forEach(result -> rows.add(row(result)));
        List<Integer> widths = IntStream.range(0, HEADER.size())
                .mapToObj(column -> rows.stream()
                        .mapToInt(row -> row.get(column).length())
                        .max()
                        .orElse(0))
                .toList();
        rows.add(1, widths.stream().map("-"::repeat).toList());
        return rows.stream().map(row -> line(row, widths)).collect(Collectors.joining());
    }

    private static List<String> row(RunResult result) {
        String title = Variant.of(result.variant()).map(Variant::title).orElse("");
        return List.of(
                result.variant() + " " + title,
                Integer.toString(result.requests()),
                Integer.toString(result.answered()),
                Long.toString(result.counter()),
                Long.toString(result.lost()),
                Integer.toString(result.refused()),
                Integer.toString(result.retried()),
                String.format(Locale.ROOT, "%.2f", result.seconds()),
                String.format(Locale.ROOT, "%.0f", result.p50()),
                String.format(Locale.ROOT, "%.0f", result.p99()),
                result.perInstance().entrySet().stream()
                        .map(entry -> entry.getKey() + " " + entry.getValue())
                        .collect(Collectors.joining(", ")));
    }

    /** First and last column are words, the others numbers. */
    private static String line(List<String> cells, List<Integer> widths) {
        StringBuilder line = new StringBuilder();
        for (int column = 0; column < cells.size(); column++) {
            String gap = " ".repeat(widths.get(column) - cells.get(column).length());
            boolean words = column == 0 || column == cells.size() - 1;
            line.append(words ? cells.get(column) + gap : gap + cells.get(column))
                    .append("  ");
        }
        return line.toString().stripTrailing() + "\n";
    }
}
