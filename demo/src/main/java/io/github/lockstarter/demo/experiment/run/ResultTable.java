package io.github.lockstarter.demo.experiment.run;

import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Results as a table of text, a row for each variant and place of its locks. */
public final class ResultTable {

    private static final String VARIANT = "variant";
    private static final String LOCKS = "locks in";
    private static final String INSTANCES = "requests per instance";
    private static final List<String> WORDS = List.of(VARIANT, LOCKS, INSTANCES);
    private static final TextTable OF_ONE_RUN = new TextTable(
            List.of(
                    VARIANT,
                    LOCKS,
                    "requests",
                    "answered",
                    "final count",
                    "lost",
                    "refused",
                    "retried",
                    "seconds",
                    "p50 ms",
                    "p99 ms",
                    INSTANCES),
            WORDS);
    private static final TextTable OF_MANY_RUNS = new TextTable(
            List.of(VARIANT, LOCKS, "runs", "requests", "answered", "lost", "retried", "seconds", "p50 ms", "p99 ms"),
            WORDS);

    private ResultTable() {}

    /**
     * Lays them out: all figures of a run where each variant was run once; otherwise the median of each figure, and the
     * least and the greatest in brackets.
     *
     * @param series in this order
     * @return lines, each ended
     */
    public static String of(List<Series> series) {
        return series.stream().allMatch(one -> one.runs().size() == 1)
                ? OF_ONE_RUN.layOut(series.stream().map(ResultTable::rowOfOne).toList())
                : OF_MANY_RUNS.layOut(
                        series.stream().map(ResultTable::rowOfMany).toList());
    }

    /**
     * Lists what interfered with them.
     *
     * @param series in this order
     * @return lines, each ended; none when nothing did
     */
    public static String actsOf(List<Series> series) {
        return series.stream().flatMap(ResultTable::actsOf).collect(Collectors.joining());
    }

    private static Stream<String> actsOf(Series series) {
        return IntStream.range(0, series.runs().size()).boxed().flatMap(index -> {
            RunResult run = series.runs().get(index);
            String repetition = series.runs().size() == 1 ? "" : ", run " + (index + 1);
            return Stream.concat(run.acts().stream(), run.missed().stream())
                    .map(act -> run.variant() + " (" + series.locks() + repetition + "): " + act + "\n");
        });
    }

    private static List<String> rowOfOne(Series series) {
        RunResult run = series.runs().get(0);
        return List.of(
                title(series),
                series.locks(),
                Integer.toString(run.requests()),
                Integer.toString(run.answered()),
                Long.toString(run.counter()),
                Long.toString(run.lost()),
                Integer.toString(run.refused()),
                Integer.toString(run.retried()),
                String.format(Locale.ROOT, "%.2f", run.seconds()),
                String.format(Locale.ROOT, "%.0f", run.p50()),
                String.format(Locale.ROOT, "%.0f", run.p99()),
                run.perInstance().entrySet().stream()
                        .map(entry -> entry.getKey() + " " + entry.getValue())
                        .collect(Collectors.joining(", ")));
    }

    private static List<String> rowOfMany(Series series) {
        List<RunResult> runs = series.runs();
        return List.of(
                title(series),
                series.locks(),
                Integer.toString(runs.size()),
                Spread.of(runs, RunResult::requests).text(0),
                Spread.of(runs, RunResult::answered).text(0),
                Spread.of(runs, RunResult::lost).text(0),
                Spread.of(runs, RunResult::retried).text(0),
                Spread.of(runs, RunResult::seconds).text(2),
                Spread.of(runs, RunResult::p50).text(0),
                Spread.of(runs, RunResult::p99).text(0));
    }

    private static String title(Series series) {
        return series.variant().id() + " " + series.variant().title();
    }
}
