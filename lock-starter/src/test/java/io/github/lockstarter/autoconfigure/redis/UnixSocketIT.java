package io.github.lockstarter.autoconfigure.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.kit.jvm.ChildJvm;
import io.github.lockstarter.kit.jvm.Jdks;
import io.github.lockstarter.kit.redis.RedisServer;
import io.github.lockstarter.testing.Effort;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** An application whose connection factory uses a Unix socket has its locks there, and nowhere else. */
@EnabledOnOs(value = OS.LINUX, architectures = "amd64")
@Tag(Effort.FULL)
class UnixSocketIT {

    @Test
    void locksThroughTheUnixSocketOfTheConnectionFactory(@TempDir Path directory) {
        Path socket = directory.resolve("redis.sock");
        try (RedisServer redis = RedisServer.start("--unixsocket", socket.toString());
                ChildJvm jvm = ChildJvm.start(
                        Jdks.own(),
                        List.of("-Dio.lettuce.core.epoll=true"),
                        UnixSocketApplication.class,
                        socket.toString())) {
            assertThat(jvm.awaitExit(Duration.ofSeconds(60)))
                    .as("%s", jvm.lines())
                    .isZero();
            assertThat(jvm.lines()).contains("excluded");
            assertThat(redis.commands().get("lock:fence")).isNotNull();
        }
    }
}
