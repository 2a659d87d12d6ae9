package io.github.lockstarter.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.testing.Effort;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Threads whose allocations fail at any point of acquire and release leave no lock held, no key dead and no caller. */
@Tag(Effort.FULL)
class FullHeapTests {

    private static final long MINUTES = 5;

    @TempDir
    private Path files;

    @Test
    void aHeapThatIsFullForMomentsLeavesEachKeyUsable() throws Exception {
        Path output = files.resolve("output");
        Process child = new ProcessBuilder(List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx24m",
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        FullHeap.class.getName()))
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            assertThat(child.waitFor(MINUTES, TimeUnit.MINUTES)).as("ends").isTrue();
        } finally {
            child.destroyForcibly();
        }
        assertThat(Files.readAllLines(output)).contains("USABLE").doesNotContain("0 failed allocations");
    }
}
