package io.github.lockstarter.benchmarks.workload;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.benchmarks.Options;
import io.github.lockstarter.benchmarks.client.ClientKind;
import io.github.lockstarter.benchmarks.measure.Metric;
import io.github.lockstarter.benchmarks.measure.Row;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every workload runs with every client. Says nothing about speed: a round is as short as it can be. */
@Timeout(120)
class WorkloadsIT {

    private static final Options SHORT = new Options(Map.of(
            "round", "0.05s",
            "rounds", "1",
            "warm-up", "0",
            "jvms", "2",
            "instances", "3",
            "windows", "1",
            "locks", "200",
            "forks", "0"));

    @ParameterizedTest
    @ValueSource(strings = {"uncontended-1", "one-key-section", "three-jvms", "in-jvm"})
    void runsWithEveryClient(String id) throws Exception {
        run(id);
    }

    @ParameterizedTest
    @Tag("full")
    @ValueSource(
            strings = {"one-key-empty", "wake-up", "twenty-instances", "held-20000", "thousand-names", "server-time"})
    void runsTheOtherWorkloadsToo(String id) throws Exception {
        run(id);
    }

    private static void run(String id) throws Exception {
        Workload workload = Workloads.of(id);
        List<Row> rows;
        try (Bench bench = new Bench(SHORT)) {
            rows = workload.run(bench);
        }

        assertThat(rows).hasSizeGreaterThanOrEqualTo(2).allSatisfy(row -> {
            assertThat(row.metrics()).as(row.id()).containsAll(workload.charted());
            assertThat(row.spread(Metric.LOST_UPDATES).stream()).as(row.id()).allMatch(lost -> lost.max() == 0);
            assertThat(row.spread(Metric.LOST_LOCKS).stream()).as(row.id()).allMatch(lost -> lost.max() == 0);
        });
    }

    @Test
    void runsOnlyTheClientsThatAreAskedFor() throws Exception {
        try (Bench bench = new Bench(Options.parse("--clients=floor", "--round=0.05s", "--rounds=2", "--warm-up=0"))) {
            List<Row> rows = new Uncontended(1).run(bench);

            assertThat(rows).singleElement().satisfies(row -> {
                assertThat(row.id()).isEqualTo(ClientKind.FLOOR.id());
                assertThat(row.rounds()).hasSize(2);
            });
        }
    }
}
