package io.github.lockstarter.benchmarks.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.within;

import io.github.lockstarter.benchmarks.client.ClientKind;
import io.github.lockstarter.benchmarks.measure.Metric;
import io.github.lockstarter.benchmarks.measure.Row;
import java.util.List;
import org.junit.jupiter.api.Test;

class CrashTimesTests {

    private static final long SECOND = 1_000_000_000;

    private final CrashTimes times = new CrashTimes();

    @Test
    void reportsMedianAndLongestTimePerClientInSeconds() {
        times.add(ClientKind.REDISSON, SECOND, 31 * SECOND);
        for (int i = 1; i <= 5; i++) {
            times.add(ClientKind.STARTER, SECOND, SECOND + i * SECOND);
        }

        List<Row> rows = times.rows();

        assertThat(rows).extracting(Row::id).containsExactly("lock-starter", "redisson");
        assertThat(median(rows.get(0), Metric.P50_SECONDS)).isCloseTo(3, within(0.01));
        assertThat(median(rows.get(0), Metric.MAX_SECONDS)).isCloseTo(5, within(0.01));
        assertThat(median(rows.get(1), Metric.P99_SECONDS)).isCloseTo(30, within(0.1));
    }

    @Test
    void rejectsAGrantBeforeTheCrash() {
        assertThatIllegalStateException()
                .isThrownBy(() -> times.add(ClientKind.REDISSON, 2 * SECOND, SECOND))
                .withMessageContaining("Granted while its holder was alive: redisson");
    }

    private static double median(Row row, Metric metric) {
        return row.spread(metric).orElseThrow().median();
    }
}
