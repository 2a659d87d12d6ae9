package io.github.lockstarter.sample.experiment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs the experiment from the packaged jar, as a person does, and looks for what it leaves behind. */
class ExperimentIT {

    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final Pattern ROW = Pattern.compile(
            "(?m)^(v\\d) .*? +(\\d+) +(\\d+) +(\\d+) +(\\d+) +\\d+ +\\d+ +[\\d.]+ +\\d+ +\\d+ +A \\d+, B \\d+$");

    @TempDir
    private Path directory;

    private Process command;

    @AfterEach
    void end() {
        command.destroyForcibly();
    }

    @Test
    void losesWithoutALockAndIsExactWithADistributedOneInSpiteOfChaos() throws Exception {
        start("--requests=60", "--variants=v1,v3,v4", "--chaos");

        assertThat(command.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();

        assertThat(command.exitValue()).as(this::text).isZero();
        assertThat(row("v1").lost()).isPositive();
        assertThat(row("v3")).isEqualTo(new Row(60, 60, 60, 0));
        assertThat(row("v4")).isEqualTo(new Row(60, 60, 60, 0));
        assertThat(text())
                .contains(
                        "was killed in the critical section", "killed (-9) and started again with its append-only file")
                .contains("2 of the 5 servers of Redlock were killed");
        assertThat(leftovers()).isEmpty();
    }

    @Test
    void leavesNothingBehindWhenInterruptedWhileItSetsUp() throws Exception {
        start("--requests=60");
        awaitText("Starting 2 instances");

        signal("INT");

        assertThat(command.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThat(text()).contains("Interrupted. Everything that was started has been ended.");
        assertThat(leftovers()).isEmpty();
    }

    @Test
    void leavesNothingBehindWhenKilledInMidRun() throws Exception {
        start("--requests=3000", "--variants=v3");
        awaitText(" answered");
        List<ProcessHandle> started = command.descendants().toList();
        assertThat(started).hasSizeGreaterThan(20);
        assertThat(leftovers()).hasSizeGreaterThan(20);
        ProcessHandle instance = started.stream()
                .filter(process -> process.info()
                        .command()
                        .filter(java -> java.endsWith("java"))
                        .isPresent())
                .findFirst()
                .orElseThrow();
        signal("STOP", instance.pid());

        command.destroyForcibly().waitFor();

        await().atMost(Duration.ofSeconds(30)).until(() -> started.stream().noneMatch(ProcessHandle::isAlive));
        await().atMost(Duration.ofSeconds(10)).until(() -> leftovers().isEmpty());
    }

    private void start(String... options) throws IOException {
        Path java = Path.of(System.getProperty("java.home"), "bin", "java");
        List<String> arguments = Stream.concat(
                        Stream.of(
                                java.toString(),
                                "-Djava.io.tmpdir=" + Files.createDirectory(temporary()),
                                "-jar",
                                System.getProperty("sample.jar"),
                                "experiment"),
                        Stream.of(options))
                .toList();
        command = new ProcessBuilder(arguments)
                .redirectErrorStream(true)
                .redirectOutput(output().toFile())
                .start();
    }

    private void awaitText(String text) {
        Predicate<String> isThere = printed -> printed.contains(text);
        await().atMost(PATIENCE).until(() -> isThere.test(text()) || !command.isAlive());
        assertThat(text()).contains(text);
    }

    private void signal(String signal) throws Exception {
        signal(signal, command.pid());
    }

    private static void signal(String signal, long pid) throws Exception {
        new ProcessBuilder("/bin/sh", "-c", "kill -" + signal + " " + pid)
                .start()
                .waitFor();
    }

    /** Each process has its directory there, and knows its path: as an argument, or in its environment. */
    private List<String> leftovers() {
        try (Stream<Path> files = Files.list(temporary())) {
            Stream<String> processes = ProcessHandle.allProcesses()
                    .map(process -> process.info().commandLine().orElse(""))
                    .filter(line -> line.contains(temporary().toString()));
            return Stream.concat(files.map(Path::toString), processes).toList();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private Row row(String variant) {
        Matcher rows = ROW.matcher(text());
        while (rows.find()) {
            if (rows.group(1).equals(variant)) {
                return new Row(
                        Integer.parseInt(rows.group(2)),
                        Integer.parseInt(rows.group(3)),
                        Integer.parseInt(rows.group(4)),
                        Integer.parseInt(rows.group(5)));
            }
        }
        throw new AssertionError("No row of " + variant + " in:\n" + text());
    }

    private record Row(int requests, int answered, int counter, int lost) {}

    private String text() {
        try {
            return Files.readString(output());
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private Path output() {
        return directory.resolve("output.txt");
    }

    private Path temporary() {
        return directory.resolve("tmp");
    }
}
