package io.github.lockstarter.sample.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RedisBinaryTests {

    @ParameterizedTest
    @CsvSource({
        "Linux,    amd64,   redis-server-7.0.15-linux-amd64",
        "Linux,    aarch64, redis-server-7.0.15-linux-arm64",
        "Linux,    i386,    redis-server-7.0.15-linux-386",
        "Mac OS X, x86_64,  redis-server-7.0.15-darwin-amd64",
        "Mac OS X, aarch64, redis-server-7.0.15-darwin-arm64"
    })
    void isBundledForLinuxAndMac(String osName, String osArch, String resource) {
        assertThat(RedisBinary.of(osName, osArch)).contains(new RedisBinary(resource));
    }

    @ParameterizedTest
    @CsvSource({"Windows 11, amd64", "Linux, riscv64", "Mac OS X, i386", "FreeBSD, amd64"})
    void isMissingElsewhere(String osName, String osArch) {
        assertThat(RedisBinary.of(osName, osArch)).isEmpty();
    }

    @Test
    void becomesAnExecutableFile(@TempDir Path directory) throws IOException {
        Path file = directory.resolve("redis-server");

        RedisBinary.of("Linux", "amd64").orElseThrow().extractTo(file);

        assertThat(Files.size(file)).isGreaterThan(1_000_000);
        assertThat(file).isExecutable();
    }
}
