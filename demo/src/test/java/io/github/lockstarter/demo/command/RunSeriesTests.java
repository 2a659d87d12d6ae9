package io.github.lockstarter.demo.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.demo.experiment.pageview.Variant;
import io.github.lockstarter.demo.experiment.run.RunResult;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class RunSeriesTests {

    @Test
    void printsARowPerVariantAndLockStore() {
        RunSeries lossy = new RunSeries(Variant.V1, "-", List.of(result("v1", 13, 653)));
        RunSeries exact = new RunSeries(Variant.V3, "sentinel", List.of(result("v3", 666, 0)));

        assertThat(table(lossy, exact))
                .containsExactly(
                        "variant              locks in  runs  requests  answered  counter  lost  refused  retried  seconds  p50 ms  p99 ms",
                        "-------------------  --------  ----  --------  --------  -------  ----  -------  -------  -------  ------  ------",
                        "v1 no lock           -            1       666       666       13   653        1        2     1.45    1253    1393",
                        "v3 distributed lock  sentinel     1       666       666      666     0        1        2     1.45    1253    1393");
    }

    @Test
    void showsTheMedianMinimumAndMaximumOfRepetitions() {
        RunSeries series = new RunSeries(
                Variant.V1, "-", List.of(result("v1", 100, 566), result("v1", 68, 598), result("v1", 166, 500)));

        assertThat(series.row()).contains("3", "100 (68-166)", "566 (500-598)", "1.45");
    }

    @Test
    void usesTheLowerMedianOfAnEvenNumber() {
        RunSeries series = new RunSeries(Variant.V1, "-", List.of(result("v1", 0, 4), result("v1", 0, 2)));

        assertThat(series.row()).contains("2 (2-4)");
    }

    @Test
    void showsWhichFaultsInterferedAndWhichDidNot() {
        RunResult run = result("v3", 666, 0);

        assertThat(new RunSeries(Variant.V3, "cluster", List.of(run)).faults())
                .containsExactly("v3 (cluster): Redis was killed", "v3 (cluster): kill-holder was left out");
        assertThat(new RunSeries(Variant.V3, "cluster", List.of(run, run)).faults())
                .contains("v3 (cluster, run 2): Redis was killed");
    }

    @Test
    void succeedsOnlyIfEveryRunIsExactAndComplete() {
        RunSeries series = new RunSeries(Variant.V3, "cluster", List.of(result("v3", 666, 0), result("v3", 665, 1)));

        assertThat(series.isExact()).isFalse();
        assertThat(series.isComplete()).isFalse();
    }

    private static Stream<String> table(RunSeries... series) {
        return RunSeries.TABLE
                .layOut(Stream.of(series).map(RunSeries::row).toList())
                .lines();
    }

    private static RunResult result(String variant, long counter, long lost) {
        return new RunResult(
                1,
                variant,
                666,
                666,
                counter,
                lost,
                1,
                2,
                1.449,
                1253.4,
                1392.6,
                new TreeMap<>(Map.of("A", 333, "B", 333)),
                List.of("Redis was killed"),
                List.of("kill-holder was left out"),
                lost == 0);
    }
}
