package io.github.lockstarter.redis;

import io.github.lockstarter.kit.redis.RedisExtension;
import io.lettuce.core.api.sync.RedisCommands;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Scripts on one lock, on a real server. */
abstract class ScriptsOnServer {

    @RegisterExtension
    static final RedisExtension REDIS = new RedisExtension();

    static final String OWNER = "0123456789abcdef0123456789abcdef";
    static final long HOUR_MICROS = 3_600_000_000L;

    RedisCommands<String, String> redis;
    Scripts scripts;

    @BeforeEach
    void connect() {
        redis = REDIS.server().commands();
        scripts = new Scripts(redis);
    }

    long serverMicros() {
        List<String> time = redis.time();
        return Long.parseLong(time.get(0)) * 1_000_000 + Long.parseLong(time.get(1));
    }

    /** Messages of a channel arrive in order, so a message sent now arrives after all earlier ones. */
    List<String> receivedUntilNow(Listening listening, String instance) {
        redis.publish("lock:mailbox:" + instance, "end");
        Awaitility.await().until(() -> listening.received().contains("end"));
        return listening.received().stream()
                .filter(message -> !message.equals("end"))
                .toList();
    }
}
