package io.github.lockstarter.demo.experiment.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class RequestStatisticsTests {

    private final RequestStatistics statistics = new RequestStatistics();

    @Test
    void countsRequestsPerInstanceIncludingThoseWithoutAnswers() {
        statistics.answered("B", 1_000_000);
        statistics.answered("A", 2_000_000);
        statistics.answered("B", 3_000_000);
        statistics.retried();

        assertThat(statistics.perInstance(List.of("A", "B", "C"))).isEqualTo(Map.of("A", 1, "B", 2, "C", 0));
        assertThat(statistics.answered()).isEqualTo(3);
        assertThat(statistics.retries()).isEqualTo(1);
    }

    @Test
    void computesPercentilesByNearestRank() {
        LongStream.rangeClosed(1, 200).forEach(ms -> statistics.answered("A", (201 - ms) * 1_000_000));

        assertThat(statistics.percentile(50)).isEqualTo(100);
        assertThat(statistics.percentile(99)).isEqualTo(198);
        assertThat(statistics.percentile(100)).isEqualTo(200);
    }

    @Test
    void hasNoResponseTimesWithoutAnswers() {
        assertThat(statistics.percentile(99)).isZero();
    }
}
