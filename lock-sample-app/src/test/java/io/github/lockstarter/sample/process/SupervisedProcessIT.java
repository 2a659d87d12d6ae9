package io.github.lockstarter.sample.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SupervisedProcessIT {

    private final List<String> output = new CopyOnWriteArrayList<>();

    private SupervisedProcess process;

    @BeforeEach
    void prepare() throws IOException {
        process = SupervisedProcess.prepare("test", SupervisedProcessIT::program, output::add);
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

    /** Prints a file if there is one, and stays until it is ended. */
    private static List<String> program(Path directory) {
        return List.of("/bin/sh", "-c", "cat \"$0/greeting\" 2>/dev/null; exec sleep 60", directory.toString());
    }

    private static boolean isAlive(long pid) {
        return ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false);
    }
}
