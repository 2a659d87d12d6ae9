package io.github.lockstarter.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.kit.net.FreePort;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs the packaged jar as a user does, and ends it in the ways it can end. */
class RunnableJarIT {

    private static final Pattern OWN_REDIS = Pattern.compile("started a Redis at 127\\.0\\.0\\.1:(\\d+)");
    private static final Pattern URL = Pattern.compile("URL=http://localhost:(\\d+)");

    @TempDir
    private Path directory;

    private Process app;
    private Path output;

    @BeforeEach
    void start() throws IOException {
        output = directory.resolve("output.txt");
        Path java = Path.of(System.getProperty("java.home"), "bin", "java");
        app = new ProcessBuilder(
                        java.toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-jar",
                        System.getProperty("sample.jar"),
                        "--server.port=0",
                        "--spring.data.redis.port=" + FreePort.next())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        await().atMost(Duration.ofMinutes(3)).until(() -> printed(URL).find() || !app.isAlive());
        assertThat(app.isAlive()).as(this::text).isTrue();
    }

    @AfterEach
    void end() {
        app.destroyForcibly();
    }

    @Test
    void servesAndStopsItsRedisWhenTerminated() throws Exception {
        assertThat(new SampleClient(number(URL)).placeOrder()).isEqualTo(1);
        int redisPort = number(OWN_REDIS);
        assertThat(isListening(redisPort)).isTrue();

        app.destroy();

        assertThat(app.waitFor(30, TimeUnit.SECONDS)).isTrue();
        assertThat(isListening(redisPort)).isFalse();
        assertThat(text()).doesNotContain("WARN", "ERROR");
    }

    @Tag("full")
    @Test
    void leavesNoRedisBehindWhenKilled() throws Exception {
        int redisPort = number(OWN_REDIS);

        app.destroyForcibly().waitFor();

        await().atMost(Duration.ofSeconds(10)).until(() -> !isListening(redisPort));
    }

    private static boolean isListening(int port) {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return socket.isConnected();
        } catch (IOException nobodyThere) {
            return false;
        }
    }

    private String text() {
        try {
            return Files.readString(output);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private int number(Pattern pattern) {
        Matcher printed = printed(pattern);
        assertThat(printed.find()).isTrue();
        return Integer.parseInt(printed.group(1));
    }

    private Matcher printed(Pattern pattern) {
        return pattern.matcher(text());
    }
}
