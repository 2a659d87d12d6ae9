package io.github.lockstarter.benchmarks.measure;

import java.util.List;
import java.util.Locale;

/** Median and range of a metric over the rounds of one client. */
public record Figure(double median, double min, double max, List<Double> rounds) {

    static Figure of(List<Double> rounds) {
        List<Double> sorted = rounds.stream().sorted().toList();
        int last = sorted.size() - 1;
        double median = (sorted.get(last / 2) + sorted.get((last + 1) / 2)) / 2;
        return new Figure(median, sorted.get(0), sorted.get(last), rounds);
    }

    /** Such as {@code 3.14 (2.72–10)}. */
    String text() {
        return number(median) + (min == max ? "" : " (" + number(min) + "–" + number(max) + ")");
    }

    /** About three significant digits. */
    static String number(double value) {
        return String.format(Locale.ROOT, value >= 100 ? "%,.0f" : value >= 10 ? "%.1f" : "%.2f", value);
    }
}
