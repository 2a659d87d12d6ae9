package io.github.lockstarter.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.faults.worker.WorkerOptions.Setup;
import io.github.lockstarter.kit.check.LoggedHold;
import io.github.lockstarter.kit.check.Span;
import io.github.lockstarter.kit.check.Violation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LabReportTests {

    private static final long SECOND = 1_000_000_000;

    @TempDir
    private Path directory;

    @Test
    void showsAViolationWithTheFaultBeforeIt() throws IOException {
        LoggedHold one = hold("w1.1", 1, 10 * SECOND);
        LoggedHold other = hold("w2.1", 2, 10 * SECOND + 1);
        Violation overlap = new Violation("I1", "hot:0", other.grantedAt(), other + " <overlaps>", List.of(one, other));
        List<Span> faults = List.of(
                new Span("standalone", "flushall", 9 * SECOND, 9 * SECOND + 1),
                new Span("standalone", "oom", SECOND, 2 * SECOND));
        LabResult result = new LabResult(
                "standalone",
                Setup.STARTER,
                42,
                Duration.ofSeconds(60),
                1000,
                Map.of("refused CONTENDED", 3L),
                List.of(1200L, 1000L),
                0,
                faults,
                List.of(overlap),
                Map.of(overlap, List.of(one, other)));

        new LabReport(List.of(result), "mvn …").write(directory, "report");

        assertThat(Files.readString(directory.resolve("report.txt")))
                .contains("| I1 | 1 |", "| I2 | 0 |")
                .contains("| flushall | 1 × / 1 |")
                .contains("| oom | 1 × / 0 |")
                .contains("| 2; p50, p99, max: 1000, 1200, 1200 |")
                .contains("| standalone | 42 | 60 | 2 | 1000 | I1: 1 |")
                .contains("[timeline](report-1.svg)");
        assertThat(Files.readString(directory.resolve("report-1.svg")))
                .contains("w1.1", "w2.1", "flushall", "&lt;overlaps&gt;")
                .doesNotContain(">oom<");
    }

    private static LoggedHold hold(String worker, long token, long at) {
        return new LoggedHold(
                worker,
                "hot:0",
                token,
                at,
                at,
                "WAITED",
                new LoggedHold.Right(at + SECOND, 0, at),
                new LoggedHold.End(at + SECOND, LoggedHold.Kind.RELEASED, "RELEASED", at + SECOND, "written"));
    }
}
