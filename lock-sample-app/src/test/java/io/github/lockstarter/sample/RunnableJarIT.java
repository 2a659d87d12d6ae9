package io.github.lockstarter.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.kit.Patience;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs the packaged jar as a user does, and ends it in the ways it can end. */
@Tag("full")
class RunnableJarIT {

    private SampleProcess app;
    private SampleClient client;

    @BeforeEach
    void start(@TempDir Path directory) throws IOException {
        app = SampleProcess.start(directory.resolve("output.txt"), List.of("-jar", System.getProperty("sample.jar")));
        client = app.client();
    }

    @AfterEach
    void end() {
        app.close();
    }

    @Test
    void servesAndStopsItsRedisWhenTerminated() throws Exception {
        assertThat(client.placeOrder()).isEqualTo(1);
        int redisPort = app.redisPort();
        assertThat(isListening(redisPort)).isTrue();

        app.terminate();
        app.awaitEnd();

        assertThat(isListening(redisPort)).isFalse();
        assertThat(app.text()).doesNotContain("WARN", "ERROR");
    }

    @Test
    void leavesNoRedisBehindWhenKilled() throws Exception {
        int redisPort = app.redisPort();

        app.kill();

        await().atMost(Patience.TIME).until(() -> !isListening(redisPort));
    }

    private static boolean isListening(int port) {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return socket.isConnected();
        } catch (IOException nobodyThere) {
            return false;
        }
    }
}
