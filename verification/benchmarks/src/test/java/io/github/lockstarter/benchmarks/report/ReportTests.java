package io.github.lockstarter.benchmarks.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.benchmarks.client.ClientKind;
import io.github.lockstarter.benchmarks.measure.Measurement;
import io.github.lockstarter.benchmarks.measure.Metric;
import io.github.lockstarter.benchmarks.measure.Row;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReportTests {

    @TempDir
    Path directory;

    private Report report() {
        return new Report(directory, List.of("uncontended-1", "uncontended-32"));
    }

    @Test
    void showsMediansRangesRatiosAndTargets() throws Exception {
        report().add(outcome("uncontended-1", 900, 1_000, 1_100));

        assertThat(tables())
                .contains("| lock-starter | **1,000** (900–1,100) |")
                .contains("| Redisson | 2 |")
                .contains("ops/s ≥ 1.10 × Redisson | 2 | met |");
    }

    @Test
    void showsClientsWithOtherGuaranteesSeparatelyWithoutComparison() throws Exception {
        report().add(outcome(
                "uncontended-1",
                row(ClientKind.STARTER, 1_000),
                row(ClientKind.STARTER_SENDING, 1_400),
                row(ClientKind.REDISSON, 500),
                row(ClientKind.STARTER_PERMITS, 800)));

        assertThat(tables())
                .contains("| lock-starter | **1,000** |\n| Redisson | **500** |\n\n")
                .contains("| lock-starter ÷ | ops/s |\n|---|---|\n| Redisson | 2 |\n\n")
                .contains("| lock-starter, release sent | **1,400** |\n| lock-starter, 5 permits | **800** |\n\n");
        assertThat(Files.readString(directory.resolve("uncontended-1.svg"))).doesNotContain("release sent", "permits");
    }

    @Test
    void saysWhenATargetIsMissed() throws Exception {
        report().add(outcome("uncontended-1", 500));

        assertThat(tables()).contains("ops/s ≥ 1.10 × Redisson | 1 | **missed** |");
    }

    @Test
    void replacesOnlyTheFormerResultOfTheSameWorkload() throws Exception {
        report().add(outcome("uncontended-32", 700));
        report().add(outcome("uncontended-1", 500));
        report().add(outcome("uncontended-1", 600));

        assertThat(tables()).contains("**600**", "**700**").doesNotContain("| lock-starter | **500** |");
        assertThat(tables().indexOf("**600**")).isLessThan(tables().indexOf("**700**"));
    }

    @Test
    void comparesStoresInOneTable() throws Exception {
        Row redis = row(ClientKind.STARTER_REDIS, 6_000);
        Row curator = row(ClientKind.CURATOR, 700);
        new Report(directory, List.of("stores-uncontended-32")).add(outcome("stores-uncontended-32", redis, curator));

        assertThat(tables())
                .contains("## Which store", "| | 32 threads: ops/s |")
                .contains("| lock-starter, Redis | 6,000 |", "| Curator InterProcessMutex | 700 |")
                .contains("| lock-starter, Redis ÷ | ops/s |", "| Curator InterProcessMutex | 8.57 |");
    }

    @Test
    void omitsStoresThatWereNotMeasured() throws Exception {
        report().add(outcome("uncontended-1", 500));

        assertThat(tables()).contains("## Targets").doesNotContain("## Which store");
    }

    @Test
    void drawsAWellFormedChart() throws Exception {
        report().add(outcome("uncontended-1", 500));

        Path chart = directory.resolve("uncontended-1.svg");
        assertThat(DocumentBuilderFactory.newInstance()
                        .newDocumentBuilder()
                        .parse(chart.toFile())
                        .getElementsByTagName("rect")
                        .getLength())
                .as("page and bars")
                .isEqualTo(3);
        assertThat(Files.readString(chart)).contains("prefers-color-scheme: dark", "a &lt; b &amp; c");
    }

    private String tables() throws Exception {
        return Files.readString(directory.resolve("tables.txt"));
    }

    private static WorkloadResult outcome(String id, double... operations) {
        return outcome(id, row(ClientKind.STARTER, operations), row(ClientKind.REDISSON, 500));
    }

    private static WorkloadResult outcome(String id, Row... rows) {
        return new WorkloadResult(
                id,
                "a < b & c",
                "What happens.",
                List.of(Metric.OPERATIONS),
                Map.of("rounds", "3"),
                Provenance.now("the command", Map.of("Redis", "7.0.15")),
                List.of(rows));
    }

    private static Row row(ClientKind kind, double... operations) {
        List<Measurement> rounds = Arrays.stream(operations)
                .mapToObj(value -> Measurement.EMPTY.with(Metric.OPERATIONS, value))
                .toList();
        return new Row(kind.id(), kind.label(), rounds);
    }
}
