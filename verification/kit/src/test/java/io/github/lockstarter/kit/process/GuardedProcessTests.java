package io.github.lockstarter.kit.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A child process and its guard. */
@Tag("full")
class GuardedProcessTests {

    @TempDir
    private Path directory;

    @Test
    void readsTheInputThatIsSent() throws IOException {
        try (GuardedProcess process = GuardedProcess.startPiped(directory, List.of("cat"))) {
            process.send("a line");

            byte[] answer = process.output().readNBytes("a line\n".length());
            assertThat(new String(answer, StandardCharsets.UTF_8)).isEqualTo("a line\n");
        }
        awaitNoProcessOf(directory);
    }

    /** Whether or not it has opened its input. */
    @Test
    void leavesNoGuardBehindWhenKilledAtOnce() throws IOException {
        for (int i = 0; i < 20; i++) {
            Path own = Files.createDirectory(directory.resolve("child-" + i));
            GuardedProcess.startPiped(own, List.of("cat")).kill();
        }
        awaitNoProcessOf(directory);
    }

    @Test
    void keepsItsGuardWhenTheProcessGroupIsTerminated() throws IOException {
        try (GuardedProcess process = GuardedProcess.startPiped(directory, List.of("cat"))) {
            process.send("a line");
            process.output().readNBytes("a line\n".length());
            List<ProcessHandle> guards = processesOf(directory).toList();
            assertThat(guards).isNotEmpty();

            guards.forEach(ProcessHandle::destroy);

            await().during(Duration.ofMillis(300))
                    .until(() -> processesOf(directory).toList().equals(guards)); // a dead one has no command line
        }
        awaitNoProcessOf(directory);
    }

    private static void awaitNoProcessOf(Path directory) {
        await().untilAsserted(() -> assertThat(processesOf(directory)).isEmpty());
    }

    private static Stream<ProcessHandle> processesOf(Path directory) {
        return ProcessHandle.allProcesses().filter(process -> process.info()
                .commandLine()
                .filter(line -> line.contains(directory.toString()))
                .isPresent());
    }
}
