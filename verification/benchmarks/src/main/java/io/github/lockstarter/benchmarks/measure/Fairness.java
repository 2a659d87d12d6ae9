package io.github.lockstarter.benchmarks.measure;

import java.util.stream.LongStream;

/** How evenly something was shared. */
public final class Fairness {

    private Fairness() {}

    /**
     * Jain's index: 1 if all got the same, 1/n if one got everything.
     *
     * @param shares what each got
     * @return the index; 1 if nobody got anything
     */
    public static double jain(long... shares) {
        double sum = LongStream.of(shares).sum();
        double squares = LongStream.of(shares)
                .mapToDouble(share -> (double) share * share)
                .sum();
        return squares == 0 ? 1 : sum * sum / (shares.length * squares);
    }
}
