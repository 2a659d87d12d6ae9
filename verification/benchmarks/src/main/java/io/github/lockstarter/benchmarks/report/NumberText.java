package io.github.lockstarter.benchmarks.report;

import io.github.lockstarter.benchmarks.measure.Spread;
import java.util.Locale;

/** Formats numbers. */
final class NumberText {

    private NumberText() {}

    /** About three significant digits, with thousands separators. */
    static String of(double value) {
        double size = Math.abs(value);
        String format = size >= 100 || value == Math.rint(value) ? "%,.0f" : size >= 10 ? "%.1f" : "%.2f";
        return String.format(Locale.ROOT, format, value);
    }

    static String of(Spread spread) {
        return spread.min() == spread.max()
                ? "**" + of(spread.median()) + "**"
                : "**" + of(spread.median()) + "** (" + of(spread.min()) + "–" + of(spread.max()) + ")";
    }
}
