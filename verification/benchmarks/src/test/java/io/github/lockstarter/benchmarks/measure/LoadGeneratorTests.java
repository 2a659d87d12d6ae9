package io.github.lockstarter.benchmarks.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class LoadGeneratorTests {

    private static final Duration SHORT = Duration.ofMillis(30);

    @Test
    void countsEachOperationOnce() throws Exception {
        LoadResult done = LoadGenerator.run(2, SHORT, thread -> 1_000);

        assertThat(done.shares()).hasSize(2);
        assertThat(done.all()).isGreaterThanOrEqualTo(2).isGreaterThanOrEqualTo(done.inTime());
        assertThat(done.latencies().getTotalCount()).isEqualTo(done.all());
        assertThat(done.measurement().values()).containsKeys(Metric.OPERATIONS, Metric.P50, Metric.P99);
    }

    @Test
    void countsLateOperationsOnlyInTheTotal() throws Exception {
        LoadResult done = LoadGenerator.run(1, SHORT, thread -> {
            Thread.sleep(SHORT.toMillis() + 10); // longer than the round
            return 1;
        });

        assertThat(done.inTime()).isZero();
        assertThat(done.all()).isOne();
    }

    @Test
    void failsWhenAThreadFails() {
        assertThatThrownBy(() -> LoadGenerator.run(2, SHORT, thread -> {
                    throw new IllegalStateException("planted");
                }))
                .hasRootCauseMessage("planted");
    }

    @Test
    void readsTheTextThatItWrites() throws Exception {
        LoadResult done = LoadGenerator.run(3, SHORT, thread -> 1_000L * (thread + 1));

        LoadResult read = LoadResult.parse(done.format());

        assertThat(read.shares()).isEqualTo(done.shares());
        assertThat(read.all()).isEqualTo(done.all());
        assertThat(read.time()).isEqualTo(done.time());
        assertThat(read.latencies()).isEqualTo(done.latencies());
    }
}
