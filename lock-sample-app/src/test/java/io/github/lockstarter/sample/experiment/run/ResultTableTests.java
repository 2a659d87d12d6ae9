package io.github.lockstarter.sample.experiment.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class ResultTableTests {

    @Test
    void alignsARowForEachRun() {
        RunResult lossy = result("v1", 13, 653);
        RunResult exact = result("v3", 666, 0);

        assertThat(ResultTable.of(List.of(lossy, exact)).lines())
                .containsExactly(
                        "variant              requests  answered  final count  lost  refused  retried  seconds  p50 ms  p99 ms  requests per instance",
                        "-------------------  --------  --------  -----------  ----  -------  -------  -------  ------  ------  ---------------------",
                        "v1 no lock                666       666           13   653        1        2     1.45    1253    1393  A 333, B 333",
                        "v3 distributed lock       666       666          666     0        1        2     1.45    1253    1393  A 333, B 333");
    }

    @Test
    void tellsWhatInterferedAndWhatDidNot() {
        assertThat(ResultTable.actsOf(List.of(result("v3", 666, 0))).lines())
                .containsExactly("v3: Redis was killed", "v3: kill-holder was left out");
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
