package io.github.lockstarter.demo.experiment.run;

import java.util.Collection;
import java.util.concurrent.TimeUnit;

/** Durations, of which the greatest of a share can be told. */
final class Latencies {

    private static final double MICROS_PER_MS = 1e3;

    private final long[] sorted;

    /**
     * Of these durations.
     *
     * @param nanos in any order
     */
    Latencies(Collection<Long> nanos) {
        this.sorted = nanos.stream().mapToLong(Long::longValue).sorted().toArray();
    }

    /**
     * The nearest rank: the least duration that a given share of all does not exceed.
     *
     * @param percent above 0, up to 100
     * @return in milliseconds; zero when there is none
     */
    double percentile(int percent) {
        if (sorted.length == 0) {
            return 0;
        }
        int rank = (sorted.length * percent + 99) / 100;
        return TimeUnit.NANOSECONDS.toMicros(sorted[rank - 1]) / MICROS_PER_MS;
    }
}
