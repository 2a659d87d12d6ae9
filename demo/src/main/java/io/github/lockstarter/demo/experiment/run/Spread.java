package io.github.lockstarter.demo.experiment.run;

import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/**
 * A figure of several runs.
 *
 * @param median the middle one; of an even number, the smaller one of the two in the middle
 * @param least the least
 * @param most the greatest
 */
record Spread(double median, double least, double most) {

    static Spread of(List<RunResult> runs, ToDoubleFunction<RunResult> figure) {
        double[] sorted = runs.stream().mapToDouble(figure).sorted().toArray();
        return new Spread(sorted[(sorted.length - 1) / 2], sorted[0], sorted[sorted.length - 1]);
    }

    /** Such as {@code 598 (410-612)}; the median alone where all are the same. */
    String text(int decimals) {
        String pattern = "%." + decimals + "f";
        String middle = String.format(Locale.ROOT, pattern, median);
        return least == most
                ? middle
                : String.format(Locale.ROOT, "%s (" + pattern + "-" + pattern + ")", middle, least, most);
    }
}
