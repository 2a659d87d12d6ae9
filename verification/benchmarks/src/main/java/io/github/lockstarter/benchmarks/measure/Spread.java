package io.github.lockstarter.benchmarks.measure;

/** Median and range. */
public record Spread(double median, double min, double max) {

    static Spread ofSorted(double... values) {
        int half = values.length / 2;
        double median = values.length % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
        return new Spread(median, values[0], values[values.length - 1]);
    }
}
