package io.github.lockstarter.benchmarks.workload;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.benchmarks.Options;
import io.github.lockstarter.benchmarks.client.ClientKind;
import io.github.lockstarter.benchmarks.measure.Figure;
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
@Timeout(600)
@Tag("full")
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

    /** As short as the lease can be that outlives the time until the next owner of a crashed one. */
    private static final Options SHORT_LEASE =
            Options.parse("--lease=3s", "--pause=0.8s", "--rounds=2", "--jvms=1", "--seed=1");

    @Test
    void runsWithEveryClient() throws Exception {
        run("uncontended-1");
    }

    @ParameterizedTest
    @Tag("full")
    @ValueSource(
            strings = {
                "three-jvms",
                "readers",
                "one-key-section",
                "in-jvm",
                "one-key-empty",
                "wake-up",
                "twenty-instances",
                "held-20000",
                "thousand-names",
                "server-time"
            })
    void runsTheOtherWorkloadsToo(String id) throws Exception {
        run(id);
    }

    @ParameterizedTest
    @Tag("full")
    @ValueSource(
            strings = {
                "stores-uncontended-1",
                "stores-uncontended-32",
                "stores-one-key-empty",
                "stores-three-jvms",
                "stores-memory"
            })
    void runsWithEveryStore(String id) throws Exception {
        run(id);
    }

    @Test
    @Tag("full")
    void measuresTheNextOwnerOfACrashedHolder() throws Exception {
        assertThat(rows(CrashedHolder.workload(Lineup.REDIS), SHORT_LEASE))
                .hasSize(3)
                .allSatisfy(row -> {
                    Figure longest = row.figure(Metric.MAX_SECONDS).orElseThrow();
                    assertThat(longest.max()).as(row.client()).isBetween(0.9, 10.0);
                });
    }

    @Test
    @Tag("full")
    void measuresTheNextOwnerOfACrashedHolderInEveryStore() throws Exception {
        Options shortest = Options.parse("--lease=4s", "--rounds=1", "--jvms=1", "--seed=1");

        assertThat(rows(CrashedHolder.workload(Lineup.STORES), shortest))
                .hasSizeGreaterThanOrEqualTo(2)
                .allSatisfy(row -> {
                    Figure longest = row.figure(Metric.MAX_SECONDS).orElseThrow();
                    assertThat(longest.max()).as(row.client()).isBetween(0.9, 30.0);
                });
    }

    @Test
    @Tag("full")
    void countsTheLocksThatAPausedHolderKeeps() throws Exception {
        assertThat(rows(PausedHolder.WORKLOAD, SHORT_LEASE))
                .hasSize(3)
                .allSatisfy(row ->
                        assertThat(median(row, Metric.KEPT)).as(row.client()).isEqualTo(2));
    }

    @Test
    @Tag("full")
    void doesNotCountALockThatEndedWithItsLeaseDuringThePause() throws Exception {
        Options pauseAboveLease = Options.parse("--lease=1.5s", "--pause=12s", "--rounds=1", "--seed=1");

        assertThat(rows(PausedHolder.WORKLOAD, pauseAboveLease))
                .hasSize(3)
                .allSatisfy(row ->
                        assertThat(median(row, Metric.KEPT)).as(row.client()).isZero());
    }

    private static List<Row> rows(Workload workload, Options options) throws Exception {
        try (Bench bench = new Bench(options)) {
            return workload.run(bench);
        }
    }

    private static void run(String id) throws Exception {
        Workload workload = Workloads.of(id);

        assertThat(rows(workload, SHORT)).hasSizeGreaterThanOrEqualTo(2).allSatisfy(row -> {
            assertThat(row.figures()).as(row.client()).isNotEmpty();
            assertThat(row.figure(Metric.LOST_UPDATES).stream())
                    .as(row.client())
                    .allMatch(lost -> lost.max() == 0);
            assertThat(row.figure(Metric.LOST_LOCKS).stream()).as(row.client()).allMatch(lost -> lost.max() == 0);
        });
    }

    private static double median(Row row, Metric metric) {
        return row.figure(metric).orElseThrow().median();
    }

    @Test
    void runsOnlyTheRequestedClients() throws Exception {
        try (Bench bench = new Bench(Options.parse("--clients=floor", "--round=0.05s", "--rounds=2", "--warm-up=0"))) {
            List<Row> rows = Uncontended.workload(Lineup.REDIS, 1).run(bench);

            assertThat(rows).singleElement().satisfies(row -> {
                assertThat(row.client()).isEqualTo(ClientKind.FLOOR.id());
                assertThat(row.figure(Metric.OPERATIONS).orElseThrow().rounds()).hasSize(2);
            });
        }
    }
}
