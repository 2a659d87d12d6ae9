package io.github.lockstarter.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.spi.ReleaseResult;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** A backend that starts, stops, and is closed. */
class RedisLockBackendLifecycleIT extends BackendOnServer {

    @Test
    void triesAtStartupACommandThatNeedsRedis6() throws IOException {
        try (Socket monitor = new Socket(REDIS.server().host(), REDIS.server().port())) {
            monitor.getOutputStream().write("MONITOR\r\n".getBytes(StandardCharsets.US_ASCII));
            BufferedReader lines =
                    new BufferedReader(new InputStreamReader(monitor.getInputStream(), StandardCharsets.UTF_8));
            assertThat(lines.readLine()).isEqualTo("+OK");
            backend.start();
            redis.echo("end");
            assertThat(lines.lines().takeWhile(line -> !line.contains("\"end\"")))
                    .anyMatch(line -> line.contains("\"SET\"") && line.endsWith("\"KEEPTTL\""));
        }
    }

    @Test
    void reconnectsWhenStartedAfterAStop() {
        backend.listen("b", new RecordedSignals());
        user.granted(OWNER);
        backend.stop();
        backend.start();
        assertThat(user.release(OWNER, 0)).isEqualTo(new ReleaseResult.Released(0));
        assertThat(redis.publish("lock:mailbox:b", "order:42")).isEqualTo(1);
    }

    @Test
    void subscribesTheIdThatWasGivenWhileStopped() {
        RecordedSignals signals = new RecordedSignals();
        backend.listen("b", signals);
        user.granted(OWNER);
        backend.stop();

        backend.listen("c", signals);
        backend.start();

        assertThat(redis.publish("lock:mailbox:c", "order:42")).isEqualTo(1);
        assertThat(redis.publish("lock:mailbox:b", "order:42")).isZero();
    }
}
