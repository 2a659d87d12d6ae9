package io.github.lockstarter.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.spi.StoredKeys;
import java.util.List;
import java.util.stream.Stream;
import org.apache.zookeeper.common.PathUtils;
import org.junit.jupiter.api.Test;

class LockPathsTests {

    private final LockPaths paths = new LockPaths("/locks", new StoredKeys("lock:"));

    @Test
    void keepsReadableCharactersAndEncodesOthers() {
        assertThat(paths.directory("order-42_a")).isEqualTo("/locks/lock%3Aorder-42_a");
        assertThat(paths.directory("a/b")).isEqualTo("/locks/lock%3Aa%2Fb");
        assertThat(new LockPaths("/locks", new StoredKeys("")).directory("")).startsWith("/locks/%25");
    }

    @Test
    void distinguishesKeysThatLookTheSame() {
        String cut = "k".repeat(300);
        List<String> directories = Stream.of(
                        "a",
                        "A",
                        "%",
                        "%0025",
                        "~",
                        ".",
                        "..",
                        "\ud800",
                        "\ud801",
                        "?",
                        cut,
                        cut + "x",
                        cut + "\ud800",
                        cut + "\ud801",
                        cut + "?")
                .map(paths::directory)
                .toList();

        assertThat(directories).doesNotHaveDuplicates().allSatisfy(PathUtils::validatePath);
        assertThat(directories).allMatch(directory -> directory.length() < 260);
    }
}
