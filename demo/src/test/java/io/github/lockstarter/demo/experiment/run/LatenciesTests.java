package io.github.lockstarter.demo.experiment.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class LatenciesTests {

    @Test
    void tellsTheNearestRank() {
        Latencies latencies = new Latencies(LongStream.rangeClosed(1, 200)
                .map(ms -> (201 - ms) * 1_000_000)
                .boxed()
                .toList());

        assertThat(latencies.percentile(50)).isEqualTo(100);
        assertThat(latencies.percentile(99)).isEqualTo(198);
        assertThat(latencies.percentile(100)).isEqualTo(200);
    }

    @Test
    void tellsTheOnlyOne() {
        assertThat(new Latencies(List.of(1_500_000L)).percentile(50)).isEqualTo(1.5);
        assertThat(new Latencies(List.of(1_500_000L)).percentile(99)).isEqualTo(1.5);
    }

    @Test
    void isZeroWithoutAny() {
        assertThat(new Latencies(List.of()).percentile(99)).isZero();
    }
}
