package io.github.lockstarter.benchmarks.measure;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class RowTests {

    @Test
    void computesMedianAndRangeOfAnOddNumberOfRounds() {
        assertThat(row(5, 1, 3).spread(Metric.OPERATIONS)).contains(new Spread(3, 1, 5));
    }

    @Test
    void usesTheMeanOfTheMiddleTwoOfAnEvenNumber() {
        assertThat(row(4, 1, 3, 10).spread(Metric.OPERATIONS)).contains(new Spread(3.5, 1, 10));
    }

    @Test
    void hasNoSpreadWithoutMeasurements() {
        assertThat(row(1).spread(Metric.CPU)).isEmpty();
        assertThat(row(1).metrics()).containsExactly(Metric.OPERATIONS);
    }

    private static Row row(double... values) {
        List<Measurement> rounds = Arrays.stream(values)
                .mapToObj(value -> Measurement.EMPTY.with(Metric.OPERATIONS, value))
                .toList();
        return new Row("client", "Client", rounds);
    }
}
