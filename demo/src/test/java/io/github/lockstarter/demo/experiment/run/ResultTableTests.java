package io.github.lockstarter.demo.experiment.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.demo.experiment.pageview.Variant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class ResultTableTests {

    @Test
    void alignsARowForEachVariantAndPlaceOfItsLocks() {
        Series lossy = new Series(Variant.V1, "-", List.of(result("v1", 13, 653)));
        Series exact = new Series(Variant.V3, "sentinel", List.of(result("v3", 666, 0)));

        assertThat(ResultTable.of(List.of(lossy, exact)).lines())
                .containsExactly(
                        "variant              locks in  requests  answered  final count  lost  refused  retried  seconds  p50 ms  p99 ms  requests per instance",
                        "-------------------  --------  --------  --------  -----------  ----  -------  -------  -------  ------  ------  ---------------------",
                        "v1 no lock           -              666       666           13   653        1        2     1.45    1253    1393  A 333, B 333",
                        "v3 distributed lock  sentinel       666       666          666     0        1        2     1.45    1253    1393  A 333, B 333");
    }

    @Test
    void givesTheMedianOfRepetitionsAndTheirLeastAndGreatest() {
        Series series = new Series(
                Variant.V1, "-", List.of(result("v1", 100, 566), result("v1", 68, 598), result("v1", 166, 500)));

        assertThat(ResultTable.of(List.of(series)).lines())
                .containsExactly(
                        "variant     locks in  runs  requests  answered           lost  retried  seconds  p50 ms  p99 ms",
                        "----------  --------  ----  --------  --------  -------------  -------  -------  ------  ------",
                        "v1 no lock  -            3       666       666  566 (500-598)        2     1.45    1253    1393");
    }

    @Test
    void takesTheSmallerOneOfTwoInTheMiddle() {
        assertThat(Spread.of(List.of(result("v1", 0, 4), result("v1", 0, 2)), RunResult::lost))
                .isEqualTo(new Spread(2, 2, 4));
    }

    @Test
    void tellsWhatInterferedAndWhatDidNot() {
        RunResult run = result("v3", 666, 0);

        assertThat(ResultTable.actsOf(List.of(new Series(Variant.V3, "cluster", List.of(run))))
                        .lines())
                .containsExactly("v3 (cluster): Redis was killed", "v3 (cluster): kill-holder was left out");
        assertThat(ResultTable.actsOf(List.of(new Series(Variant.V3, "cluster", List.of(run, run))))
                        .lines())
                .contains("v3 (cluster, run 2): Redis was killed");
    }

    @Test
    void isExactAndCompleteOnlyIfEveryRunIs() {
        Series series = new Series(Variant.V3, "cluster", List.of(result("v3", 666, 0), result("v3", 665, 1)));

        assertThat(series.isExact()).isFalse();
        assertThat(series.isComplete()).isFalse();
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
