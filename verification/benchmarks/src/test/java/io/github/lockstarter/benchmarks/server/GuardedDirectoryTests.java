package io.github.lockstarter.benchmarks.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(20)
class GuardedDirectoryTests {

    @TempDir
    Path outside;

    @Test
    void isRemovedOnceItsServerWasEnded() throws Exception {
        Path ended = outside.resolve("ended");
        GuardedDirectory directory = GuardedDirectory.create("lock-benchmarks-test-", "cp data '" + ended + "'");
        Files.writeString(directory.path().resolve("data"), "data");

        directory.close();

        assertThat(ended).hasContent("data");
        assertThat(directory.path()).doesNotExist();
    }

    @Test
    void isRemovedAlsoIfItsServerCannotBeEnded() throws Exception {
        GuardedDirectory directory = GuardedDirectory.create("lock-benchmarks-test-", "false");

        directory.close();

        assertThat(directory.path()).doesNotExist();
    }
}
