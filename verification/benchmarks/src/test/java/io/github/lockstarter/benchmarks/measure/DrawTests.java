package io.github.lockstarter.benchmarks.measure;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.benchmarks.client.ClientKind;
import io.github.lockstarter.kit.jvm.Jdks;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code Draw.java} makes of the results, each time in a JVM of its own, as users run it. */
@Tag("full")
class DrawTests {

    private static final List<String> ORDER = List.of("uncontended-1", "stores-uncontended-32");

    @TempDir
    Path directory;

    @Test
    void showsMediansRangesRatiosAndTargetsInTheOrderOfWorkloads() throws Exception {
        add("stores-uncontended-32", row(ClientKind.STARTER_REDIS, 6_000), row(ClientKind.CURATOR, 700));
        add("uncontended-1", row(ClientKind.STARTER, 500), row(ClientKind.REDISSON, 900));
        add("uncontended-1", row(ClientKind.STARTER, 900, 1_000, 1_100), row(ClientKind.REDISSON, 950));

        String tables = draw("uncontended-1");

        assertThat(tables)
                .contains("| lock-starter | **1,000** (900–1,100) |\n| Redisson | **950** |\n\n")
                .contains("| lock-starter ÷ | ops/s |\n|---|---|\n| Redisson | 1.05 |\n\n")
                .contains("| a < \"b\" & c | ops/s ≥ 1.10 × Redisson | 1.05 | **missed** |")
                .contains("`the command`, 2026-11-29; rounds 3; Redis 7.0.15.")
                .contains("## Which store", "|  | 32 threads: ops/s |", "| lock-starter, Redis | 6,000 |")
                .doesNotContain("**500**");
        assertThat(tables.indexOf("**1,000**")).isLessThan(tables.indexOf("**6,000**"));
        assertThat(directory).isDirectoryNotContaining("glob:**stores-uncontended-32.svg");
    }

    @Test
    void drawsAWellFormedChartOfEachWorkloadUnlessSomeAreNamed() throws Exception {
        add("uncontended-1", row(ClientKind.STARTER, 500), row(ClientKind.REDISSON, 400));

        assertThat(draw()).contains("## Targets", "| 1.25 | met |").doesNotContain("## Which store");

        Path chart = directory.resolve("uncontended-1.svg");
        assertThat(DocumentBuilderFactory.newInstance()
                        .newDocumentBuilder()
                        .parse(chart.toFile())
                        .getElementsByTagName("rect")
                        .getLength())
                .as("page and bars")
                .isEqualTo(3);
        assertThat(Files.readString(chart)).contains("prefers-color-scheme: dark", "a &lt; \"b\" &amp; c");
    }

    private String draw(String... charted) throws IOException, InterruptedException {
        String java = Jdks.own().resolve("bin").resolve("java").toString();
        ProcessBuilder builder = new ProcessBuilder(java, "Draw.java", file().toString());
        builder.command().addAll(List.of(charted));
        Process process = builder.redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
        return Files.readString(directory.resolve("tables.txt"));
    }

    private void add(String workload, Row... rows) throws IOException {
        Results.add(
                file(),
                new WorkloadResult(
                        workload,
                        "a < \"b\" & c",
                        "What happens.",
                        "2026-11-29",
                        "the command",
                        Map.of("rounds", "3"),
                        Map.of("Redis", "7.0.15"),
                        WorkloadResult.metricsOf(List.of(rows)),
                        List.of(rows)),
                ORDER);
    }

    private Path file() {
        return directory.resolve("results.json");
    }

    private static Row row(ClientKind kind, double... operations) {
        return Row.of(
                kind,
                Arrays.stream(operations)
                        .mapToObj(value -> Measurement.EMPTY.with(Metric.OPERATIONS, value))
                        .toList());
    }
}
