package io.github.lockstarter.demo.experiment.run;

import io.github.lockstarter.demo.experiment.pageview.Variant;
import java.util.List;

/**
 * The runs of one variant with its locks in one place.
 *
 * @param variant the variant
 * @param locks where the locks are kept, such as {@code sentinel}; {@code -} of a variant without locks
 * @param runs their results, at least one, in the order of the runs
 */
public record Series(Variant variant, String locks, List<RunResult> runs) {

    /** Checks that there is one. */
    public Series {
        runs = List.copyOf(runs);
        if (runs.isEmpty()) {
            throw new IllegalArgumentException("a series of " + variant.id() + " has no run");
        }
    }

    /**
     * Whether every request of every run was answered, and counted once.
     *
     * @return false as soon as one run was not exact
     */
    public boolean isExact() {
        return runs.stream().allMatch(RunResult::exact);
    }

    /**
     * Whether everything that should have interfered found something to hit.
     *
     * @return false as soon as one act was left out
     */
    public boolean isComplete() {
        return runs.stream().allMatch(run -> run.missed().isEmpty());
    }
}
