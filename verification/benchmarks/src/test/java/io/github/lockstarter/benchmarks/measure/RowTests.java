package io.github.lockstarter.benchmarks.measure;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.benchmarks.client.ClientKind.Role;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class RowTests {

    @Test
    void computesMedianAndRangeOfAnOddNumberOfRounds() {
        assertThat(row(5, 1, 3).figure(Metric.OPERATIONS)).contains(new Figure(3, 1, 5, List.of(5.0, 1.0, 3.0)));
    }

    @Test
    void usesTheMeanOfTheMiddleTwoOfAnEvenNumber() {
        assertThat(row(4, 1, 3, 10).figure(Metric.OPERATIONS).orElseThrow().median())
                .isEqualTo(3.5);
    }

    @Test
    void hasNoFigureWithoutMeasurements() {
        assertThat(row(1).figure(Metric.CPU)).isEmpty();
        assertThat(row(1).figures()).containsOnlyKeys("ops/s");
    }

    @Test
    void showsMedianRangeAndRatio() {
        assertThat(row(1_000, 900, 1_100).text()).isEqualTo(": ops/s 1,000 (900–1,100)");
        assertThat(row(500).ratiosOf(row(1_000))).isEqualTo(": ops/s 2.00");
    }

    private static Row row(double... values) {
        List<Measurement> rounds = Arrays.stream(values)
                .mapToObj(value -> Measurement.EMPTY.with(Metric.OPERATIONS, value))
                .toList();
        return Row.of("client", "Client", Role.PEER, rounds);
    }
}
