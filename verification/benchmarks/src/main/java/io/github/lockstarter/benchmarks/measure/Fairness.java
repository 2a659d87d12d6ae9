package io.github.lockstarter.benchmarks.measure;

import java.util.stream.LongStream;

/** Measures fairness. */
public final class Fairness {

    private Fairness() {}

    /** Jain's index: 1 for equal shares or no shares at all, 1/n if one got everything. */
    public static double jain(long... shares) {
        double sum = LongStream.of(shares).sum();
        double squares = LongStream.of(shares)
                .mapToDouble(share -> (double) share * share)
                .sum();
        return squares == 0 ? 1 : sum * sum / (shares.length * squares);
    }
}
