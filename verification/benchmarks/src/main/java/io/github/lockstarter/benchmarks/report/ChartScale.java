package io.github.lockstarter.benchmarks.report;

import io.github.lockstarter.benchmarks.client.ClientKind;
import io.github.lockstarter.benchmarks.measure.Metric;
import io.github.lockstarter.benchmarks.measure.Row;
import io.github.lockstarter.benchmarks.measure.Spread;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

final class ChartScale {

    private static final double FAR = 4;
    private static final double ROOM = 1.25;

    private ChartScale() {}

    /** End of the axis: the largest value, ignoring outliers other than the starter. */
    static double end(List<Row> rows, Metric metric) {
        List<Row> descending = new ArrayList<>(rows);
        descending.sort(
                Comparator.comparingDouble((Row row) -> median(row, metric)).reversed());
        int first = 0;
        while (first + 1 < descending.size()
                && !descending.get(first).id().equals(ClientKind.STARTER.id())
                && median(descending.get(first), metric) > FAR * median(descending.get(first + 1), metric)) {
            first++;
        }
        List<Row> drawn = descending.subList(first, descending.size());
        double largest = drawn.stream()
                .flatMap(row -> row.spread(metric).stream())
                .mapToDouble(Spread::max)
                .max()
                .orElse(0);
        double end = first == 0 ? largest : largest * ROOM;
        return end == 0 ? 1 : end;
    }

    private static double median(Row row, Metric metric) {
        return row.spread(metric).orElseThrow().median();
    }
}
