package io.github.lockstarter.demo.experiment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.demo.experiment.run.RunPlan;
import io.github.lockstarter.kit.Patience;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs the experiment from the packaged jar, as a user does, and checks for leftovers. The chaos is on v3; {@code
 * -Ddemo.it.variants=v3,v4} adds v4.
 */
@Tag("full")
class ExperimentIT {

    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final Pattern ROW =
            Pattern.compile("(?m)^(v\\d) .*? +1 +(\\d+) +(\\d+) +(\\d+) +(\\d+) +\\d+ +\\d+ +[\\d.]+ +\\d+ +\\d+$");

    @TempDir
    private Path directory;

    private final List<Command> commands = new ArrayList<>();

    @AfterEach
    void end() {
        commands.forEach(command -> command.process().destroyForcibly());
        // The process that removes leftovers needs its directories.
        commands.forEach(command ->
                await().atMost(Patience.TIME).until(() -> command.leftovers().isEmpty()));
    }

    @Test
    void countsExactlyDespiteFaults() throws Exception {
        String variants = System.getProperty("demo.it.variants", "v3");
        Command command = start("--requests=60", "--variants=" + variants, "--chaos");

        assertThat(command.awaitExit()).as(command::text).isZero();

        for (String variant : variants.split(",", -1)) {
            String run = variant + " \\((standalone|five servers)\\): ";
            assertThat(command.row(variant)).isEqualTo(new Row(60, 60, 60, 0));
            assertThat(command.text())
                    .containsPattern("(?m)^" + run + "Instance [AB] was killed in the critical section")
                    .containsPattern("(?m)^" + run + "Instance [AB] was paused in the critical section")
                    .containsPattern("(?m)^" + run + "Instance [AB] kept the lock: no other instance had it for")
                    .containsPattern("(?m)^" + run + "(Redis .* was killed|2 of the 5 servers .* were killed)");
        }
        if (variants.equals("v3")) {
            // Within the lease of 5 s. The request that took it over may have passed it on to the next one at
            // once.
            assertThat(command.text())
                    .containsPattern(
                            "(?m)^v3 \\(standalone\\): Instance [AB] (took the lock over|had the lock) [1-4]\\.\\d s"
                                    + " after instance [AB] was killed");
        }
        assertThat(command.leftovers()).isEmpty();
    }

    @Test
    void printsAllTopologiesAndRepetitionsInOneTable() throws Exception {
        Command command = start(
                "--requests=60", "--variants=v0,v3", "--topology=standalone,master-replica,cluster", "--repetitions=2");

        assertThat(command.awaitExit()).as(command::text).isZero();

        assertThat(command.text())
                .containsPattern("(?m)^v0 INCR +- +2 +60 +60 +60 +0 ")
                .containsPattern("(?m)^v3 distributed lock +standalone +2 +60 +60 +60 +0 ")
                .containsPattern("(?m)^v3 distributed lock +master-replica +2 +60 +60 +60 +0 ")
                .containsPattern("(?m)^v3 distributed lock +cluster +2 +60 +60 +60 +0 ")
                .containsOnlyOnce("v0 (INCR, run 2 of 2)");
        assertThat(command.leftovers()).isEmpty();
    }

    /** Two at a time: ending one does not affect the other. */
    @Test
    void leavesNothingBehindWhenInterruptedDuringSetupOrKilledDuringARun() throws Exception {
        Command settingUp = start("--requests=60");
        settingUp.awaitText("Starting 2 instances");
        Command running = start("--requests=" + RunPlan.MOST_REQUESTS);

        signal(interrupt(), settingUp.process().pid());

        assertThat(settingUp.awaitExit()).isNotZero();
        assertThat(settingUp.text()).contains("Interrupted. Everything that was started has been ended.");
        assertThat(settingUp.leftovers()).isEmpty();
        running.awaitText(" answered");
        List<ProcessHandle> started = running.process().descendants().toList();
        assertThat(started).hasSizeGreaterThan(20);
        assertThat(running.leftovers()).hasSizeGreaterThan(20);
        signal("STOP", anInstance(started).pid());

        running.process().destroyForcibly().waitFor();

        await().atMost(Patience.TIME).until(() -> started.stream().noneMatch(ProcessHandle::isAlive));
        await().atMost(Patience.TIME).until(() -> running.leftovers().isEmpty());
    }

    @Test
    void runsAnExhibitAndLeavesNothingBehind() throws Exception {
        Command command = startGallery("late-write");

        assertThat(command.awaitExit()).as(command::text).isZero();

        assertThat(command.text())
                .containsPattern("(?m)^late-write .* broken +2 +1 +1 +2 +no$")
                .containsPattern("(?m)^late-write .* ours +1 +1 +0 +2 +no$");
        assertThat(command.leftovers()).isEmpty();
    }

    /** Two at a time: ending one does not affect the other. */
    @Test
    void theGalleryLeavesNothingBehindWhenInterruptedOrKilled() throws Exception {
        Command interrupted = startGallery("failover", "double-failover", "setnx");
        Command killed = startGallery("late-write", "redlock-clock");
        await().atMost(PATIENCE)
                .until(() -> interrupted.leftovers().size() > 20
                        && killed.leftovers().size() > 20);
        List<ProcessHandle> started = killed.process().descendants().toList();

        signal(interrupt(), interrupted.process().pid());
        killed.process().destroyForcibly().waitFor();

        assertThat(interrupted.awaitExit()).isNotZero();
        assertThat(interrupted.text()).contains("Interrupted. Everything that was started has been ended.");
        assertThat(interrupted.leftovers()).isEmpty();
        await().atMost(Patience.TIME).until(() -> started.stream().noneMatch(ProcessHandle::isAlive));
        await().atMost(Patience.TIME).until(() -> killed.leftovers().isEmpty());
    }

    @Test
    void reportsAStartupFailureAndLeavesNothingBehind() throws Exception {
        Command command =
                start("-Dlock.test.redis-server=/nowhere/redis-server", "experiment", new String[] {"--variants=v1"});

        assertThat(command.awaitExit()).isEqualTo(1);

        assertThat(command.text())
                .contains("The command failed: Could not run /nowhere/redis-server")
                .doesNotContain("Interrupted");
        assertThat(command.leftovers()).isEmpty();
    }

    private static ProcessHandle anInstance(List<ProcessHandle> started) {
        return started.stream()
                .filter(process -> process.info()
                        .command()
                        .filter(java -> java.endsWith("java"))
                        .isPresent())
                .findFirst()
                .orElseThrow();
    }

    private Command start(String... options) throws IOException {
        return start("-Ddemo.it=true", "experiment", options);
    }

    private Command startGallery(String... options) throws IOException {
        return start("-Ddemo.it=true", "gallery", options);
    }

    private Command start(String property, String program, String[] options) throws IOException {
        Path home = Files.createDirectory(directory.resolve("command-" + commands.size()));
        Path java = Path.of(System.getProperty("java.home"), "bin", "java");
        List<String> arguments = Stream.concat(
                        Stream.of(
                                java.toString(),
                                "-XX:TieredStopAtLevel=1",
                                property,
                                "-Djava.io.tmpdir=" + Files.createDirectory(Command.temporary(home)),
                                "-jar",
                                System.getProperty("demo.jar"),
                                program),
                        Stream.of(options))
                .toList();
        Process process = new ProcessBuilder(arguments)
                .redirectErrorStream(true)
                .redirectOutput(Command.output(home).toFile())
                .start();
        Command command = new Command(home, process);
        commands.add(command);
        return command;
    }

    /** As Ctrl-C does; as a shutdown does where that is ignored, as by all that a shell starts in the background. */
    private static String interrupt() throws IOException {
        Path status = Path.of("/proc/self/status");
        boolean ignored = Files.exists(status)
                && Files.readAllLines(status).stream()
                        .filter(line -> line.startsWith("SigIgn:"))
                        .anyMatch(line ->
                                (Long.parseUnsignedLong(line.substring(7).strip(), 16) & 1L << 1) != 0);
        return ignored ? "TERM" : "INT";
    }

    private static void signal(String signal, long pid) throws Exception {
        new ProcessBuilder("/bin/sh", "-c", "kill -" + signal + " " + pid)
                .start()
                .waitFor();
    }

    private record Row(int requests, int answered, int counter, int lost) {}

    /** The command, its output, and its leftovers in a separate directory. */
    private record Command(Path home, Process process) {

        static Path output(Path home) {
            return home.resolve("output.txt");
        }

        static Path temporary(Path home) {
            return home.resolve("tmp");
        }

        int awaitExit() throws InterruptedException {
            assertThat(process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .as(this::text)
                    .isTrue();
            return process.exitValue();
        }

        void awaitText(String text) {
            Predicate<String> isThere = printed -> printed.contains(text);
            await().atMost(PATIENCE).until(() -> isThere.test(text()) || !process.isAlive());
            assertThat(text()).contains(text);
        }

        /**
         * Each process has its directory there, whose path is an argument. The unpacked redis-server remains for the
         * next time.
         */
        List<String> leftovers() {
            try (Stream<Path> files = Files.list(temporary(home))
                    .filter(file -> !file.endsWith("lock-kit-redis-" + System.getProperty("user.name")))) {
                Stream<String> processes = ProcessHandle.allProcesses()
                        .map(process -> process.info().commandLine().orElse(""))
                        .filter(line -> line.contains(temporary(home).toString()));
                return Stream.concat(files.map(Path::toString), processes).toList();
            } catch (IOException failure) {
                throw new UncheckedIOException(failure);
            }
        }

        Row row(String variant) {
            Matcher rows = ROW.matcher(text());
            while (rows.find()) {
                if (rows.group(1).equals(variant)) {
                    return new Row(number(rows, 2), number(rows, 3), number(rows, 4), number(rows, 5));
                }
            }
            throw new AssertionError("No row of " + variant + " in:\n" + text());
        }

        String text() {
            try {
                return Files.readString(output(home));
            } catch (IOException failure) {
                throw new UncheckedIOException(failure);
            }
        }

        private static int number(Matcher row, int group) {
            return Integer.parseInt(row.group(group));
        }
    }
}
