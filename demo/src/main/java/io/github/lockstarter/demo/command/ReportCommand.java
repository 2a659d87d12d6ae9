package io.github.lockstarter.demo.command;

import io.github.lockstarter.demo.report.LockReport;
import io.github.lockstarter.demo.report.LockReport.Verdict;
import io.github.lockstarter.demo.report.ServerSettings;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Tries the locks on a given server, and prints a report. */
@Command(
        name = "report",
        description = {
            "Tries the locks on your server: the start check, then three JVMs that contend for two locks, one of which"
                    + " is killed. Prints a report to paste into an issue, without passwords.",
            "Its keys begin with lock:report: and all expire but lock:report:fence and lock:report:history"
        },
        footer =
                "Exit status: 0 when the locks exclude each other; 1 when not, when the control finds no overlap or when"
                        + " the start fails; 2 when an argument is wrong.",
        sortOptions = false)
final class ReportCommand extends DemoCommand {

    private static final int LONGEST_SECONDS = 3_600;

    @Parameters(
            arity = "0..*",
            paramLabel = "ADDRESS|--PROPERTY=VALUE",
            description = "redis://[user:password@]host[:port][/database] (rediss:// with TLS), by default localhost;"
                    + " or properties, such as --spring.data.redis.cluster.nodes=host:port. A password may also be in"
                    + " the variable SPRING_DATA_REDIS_PASSWORD")
    private List<String> arguments = List.of();

    @Option(
            names = "--seconds",
            defaultValue = "120",
            description = "of contention, by default ${DEFAULT-VALUE}; from 20 on, one JVM is killed meanwhile")
    private int seconds;

    private @Nullable LockReport report;

    @Override
    void check() {
        if (seconds < 1 || seconds > LONGEST_SECONDS) {
            throw new IllegalArgumentException("seconds is " + seconds + "; choose 1 to " + LONGEST_SECONDS);
        }
        report = new LockReport(ServerSettings.of(arguments), Duration.ofSeconds(seconds), this::print);
    }

    @Override
    int execute() {
        LockReport prepared = Objects.requireNonNull(report);
        try {
            Verdict verdict = prepared.run();
            print("\n" + prepared.text());
            return verdict == Verdict.WORKS || verdict == Verdict.DEGRADED ? 0 : FAILED;
        } catch (RuntimeException failure) {
            print(prepared.text() + "\n" + prepared.masked(String.valueOf(failure.getMessage())));
            return FAILED;
        }
    }

    @Override
    void end() {
        if (report != null) {
            report.close();
        }
    }
}
