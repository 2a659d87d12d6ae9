package io.github.lockstarter.demo.command;

import io.github.lockstarter.demo.experiment.pageview.Variant;
import io.github.lockstarter.demo.experiment.run.RunResult;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The runs of one variant with its locks in one place: a row of the table. Of several runs it has the median of each
 * figure, and the least and the greatest in brackets.
 *
 * @param variant the variant
 * @param locks where the locks are kept, such as {@code sentinel}; {@code -} of a variant without locks
 * @param runs their results, at least one, in the order of the runs
 */
record RunSeries(Variant variant, String locks, List<RunResult> runs) {

    static final TextTable TABLE = new TextTable(
            List.of(
                    "variant",
                    "locks in",
                    "runs",
                    "requests",
                    "answered",
                    "counter",
                    "lost",
                    "refused",
                    "retried",
                    "seconds",
                    "p50 ms",
                    "p99 ms"),
            List.of("variant", "locks in"));

    RunSeries {
        runs = List.copyOf(runs);
    }

    /** Whether every request of every run was answered, and counted once. */
    boolean isExact() {
        return runs.stream().allMatch(RunResult::exact);
    }

    /** Whether all faults found something to hit. */
    boolean isComplete() {
        return runs.stream().allMatch(run -> run.missed().isEmpty());
    }

    List<String> row() {
        return List.of(
                variant.id() + " " + variant.title(),
                locks,
                Integer.toString(runs.size()),
                figure(0, RunResult::requests),
                figure(0, RunResult::answered),
                figure(0, RunResult::counter),
                figure(0, RunResult::lost),
                figure(0, RunResult::refused),
                figure(0, RunResult::retried),
                figure(2, RunResult::seconds),
                figure(0, RunResult::p50),
                figure(0, RunResult::p99));
    }

    /** What interfered, and what found nothing to hit: a line for each. */
    Stream<String> faults() {
        return IntStream.range(0, runs.size()).boxed().flatMap(index -> {
            String repetition = runs.size() == 1 ? "" : ", run " + (index + 1);
            return Stream.concat(runs.get(index).faults().stream(), runs.get(index).missed().stream())
                    .map(fault -> variant.id() + " (" + locks + repetition + "): " + fault);
        });
    }

    private String figure(int decimals, ToDoubleFunction<RunResult> figure) {
        double[] sorted = runs.stream().mapToDouble(figure).sorted().toArray();
        double least = sorted[0];
        double most = sorted[sorted.length - 1];
        String number = "%." + decimals + "f";
        String median = String.format(Locale.ROOT, number, sorted[(sorted.length - 1) / 2]);
        return least == most
                ? median
                : String.format(Locale.ROOT, "%s (" + number + "-" + number + ")", median, least, most);
    }
}
