package io.github.lockstarter.demo.command;

import io.github.lockstarter.demo.experiment.pageview.Variant;
import io.github.lockstarter.demo.experiment.run.RunResult;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Runs of one variant in one topology: a row of the table, with medians and, in brackets, the lowest and highest
 * values of several runs.
 *
 * @param locks place of the locks, such as {@code sentinel}; {@code -} without locks
 * @param runs at least one, in order
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

    /** Whether every request was answered and counted once. */
    boolean isExact() {
        return runs.stream().allMatch(RunResult::exact);
    }

    /** Whether all faults hit a target. */
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

    /** Faults and missed faults, one per line. */
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
