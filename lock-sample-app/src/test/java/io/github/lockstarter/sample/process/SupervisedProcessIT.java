package io.github.lockstarter.sample.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SupervisedProcessIT {

    private final List<String> output = new CopyOnWriteArrayList<>();

    private SupervisedProcess process;

    @BeforeEach
    void prepare() throws IOException {
        process = SupervisedProcess.prepare("test", SupervisedProcessIT::program, this::read);
    }

    @AfterEach
    void close() {
        process.close();
    }

    @Test
    void runsOnlyOnceItIsStarted() throws IOException {
        assertThat(process.isRunning()).isFalse();
        Files.writeString(process.directory().resolve("greeting"), "hello\n");

        process.start();

        await().until(() -> output.contains("hello"));
        assertThat(process.isRunning()).isTrue();
        assertThat(isAlive(process.pid())).isTrue();
    }

    @Test
    void leavesNeitherProgramNorDirectory() throws IOException {
        process.start();
        long pid = process.pid();

        process.close();
        process.close();

        assertThat(isAlive(pid)).isFalse();
        assertThat(process.directory()).doesNotExist();
    }

    @Test
    void endsAProgramThatIsStopped() throws IOException {
        process.start();
        long pid = process.pid();
        process.signal("STOP");

        process.close();

        assertThat(isAlive(pid)).isFalse();
        assertThat(process.directory()).doesNotExist();
    }

    @Test
    void startsAKilledProgramAgain() throws IOException {
        process.start();
        long first = process.pid();

        process.kill();

        assertThat(process.isRunning()).isFalse();
        assertThat(isAlive(first)).isFalse();
        assertThat(process.directory()).exists();
        process.start();
        assertThat(process.isRunning()).isTrue();
        assertThat(process.pid()).isNotEqualTo(first);
    }

    @Test
    void noticesThatTheProgramEnded() throws Exception {
        process.start();

        ProcessHandle.of(process.pid()).orElseThrow().destroyForcibly();

        assertThat(process.end()).succeedsWithin(Duration.ofSeconds(10)).isEqualTo(128 + 9);
        assertThat(process.isRunning()).isFalse();
    }

    @Test
    void neverRunsTwice() throws Exception {
        process.start();
        long first = process.pid();

        assertThatIOException().isThrownBy(process::start).withMessageContaining("runs already");

        assertThat(process.pid()).isEqualTo(first);
        await().until(() -> Files.exists(process.directory().resolve("greeted")));
        assertThat(process.directory().resolve("starts")).hasContent("x");
        process.close();
        assertThat(isAlive(first)).isFalse();
    }

    @Test
    void startsOnceForSeveralCallersAtATime() throws Exception {
        ExecutorService callers = Executors.newFixedThreadPool(8);
        List<Callable<Void>> starts = Collections.nCopies(8, () -> {
            process.start();
            return null;
        });

        List<Future<Void>> outcomes = callers.invokeAll(starts);
        callers.shutdown();

        assertThat(outcomes).filteredOn(outcome -> failure(outcome) == null).hasSize(1);
        await().until(() -> Files.exists(process.directory().resolve("greeted")));
        assertThat(process.directory().resolve("starts")).hasContent("x");
    }

    @Test
    void readsOnAfterHalfALineOfAKilledProgram() throws Exception {
        Files.writeString(process.directory().resolve("greeting"), "{\"ty");
        process.start();
        await().until(() -> Files.exists(process.directory().resolve("greeted")));

        process.kill();

        assertThat(process.isRunning()).isFalse();
        process.start();
        assertThat(process.isRunning()).isTrue();
    }

    /**
     * Ctrl-\ goes to the whole foreground group, this JVM prints its threads and goes on. A JVM may start its children
     * with that signal blocked; then this does not depend on what the script does about it.
     */
    @Test
    void goesOnAfterAQuit() throws Exception {
        process.start();
        long pid = process.pid();

        for (ProcessHandle supervisor : supervisors(pid)) {
            signal("QUIT", supervisor);
        }

        process.kill();
        process.start();
        long second = process.pid();
        process.close();
        assertThat(isAlive(second)).isFalse();
        assertThat(process.directory()).doesNotExist();
    }

    @Test
    void endsTheProgramThoughItsSupervisorWasKilled() throws Exception {
        process.start();
        long pid = process.pid();
        supervisors(pid).forEach(ProcessHandle::destroyForcibly);

        process.close();

        assertThat(isAlive(pid)).isFalse();
        assertThat(process.directory()).doesNotExist();
    }

    @ParameterizedTest
    @CsvSource({
        "SPRING_DATA_REDIS_PORT, true",
        "spring.data.redis.port, true",
        "SERVER_PORT, true",
        "DISTRIBUTEDLOCK_LEASE, true",
        "DISTRIBUTED_LOCK_MAX_LEASE, true",
        "SAMPLE_PVIEW_WORK, true",
        "LOGGING_LEVEL_ROOT, true",
        "MANAGEMENT_SERVER_PORT, true",
        "JDK_JAVA_OPTIONS, true",
        "JAVA_TOOL_OPTIONS, true",
        "PATH, false",
        "JAVA_HOME, false",
        "TMPDIR, false"
    })
    void keepsTheSettingsOfThisJvmFromTheProgram(String variable, boolean isKept) {
        assertThat(SupervisedProcess.isSettingOfThisJvm(variable)).isEqualTo(isKept);
    }

    private static @Nullable Throwable failure(Future<Void> outcome) {
        try {
            outcome.get();
            return null;
        } catch (ExecutionException failure) {
            return failure.getCause();
        } catch (InterruptedException interrupt) {
            throw new AssertionError(interrupt);
        }
    }

    /** The scripts between this JVM and the program. */
    private static List<ProcessHandle> supervisors(long pid) {
        return Stream.iterate(
                        ProcessHandle.of(pid).flatMap(ProcessHandle::parent),
                        parent -> parent.isPresent()
                                && parent.get().pid() != ProcessHandle.current().pid(),
                        parent -> parent.flatMap(ProcessHandle::parent))
                .flatMap(Optional::stream)
                .toList();
    }

    private static void signal(String signal, ProcessHandle process) throws Exception {
        new ProcessBuilder("/bin/sh", "-c", "kill -" + signal + " " + process.pid())
                .start()
                .waitFor();
    }

    /** Understands whole lines only. */
    private void read(String line) {
        if (line.equals("{\"ty")) {
            throw new IllegalArgumentException(line);
        }
        output.add(line);
    }

    /** Prints a file if there is one, and stays until it is ended. */
    private static List<String> program(Path directory) {
        return List.of(
                "/bin/sh",
                "-c",
                "printf x >>\"$0/starts\"; cat \"$0/greeting\" 2>/dev/null; : >\"$0/greeted\"; exec sleep 60",
                directory.toString());
    }

    private static boolean isAlive(long pid) {
        return ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false);
    }
}
