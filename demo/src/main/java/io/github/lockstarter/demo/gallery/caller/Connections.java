package io.github.lockstarter.demo.gallery.caller;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.Optional;

/** Connections to servers of this machine, closed together. */
final class Connections implements AutoCloseable {

    private static final Duration TIMEOUT = Duration.ofSeconds(5);

    private final RedisClient client = RedisClient.create();

    Connections() {
        client.setOptions(ClientOptions.builder()
                .disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
                .build());
    }

    /** Commands of the server at that port; empty where nothing listens. */
    Optional<RedisCommands<String, String>> to(int port) {
        RedisURI uri = RedisURI.builder()
                .withHost("127.0.0.1")
                .withPort(port)
                .withTimeout(TIMEOUT)
                .build();
        try {
            return Optional.of(client.connect(uri).sync());
        } catch (RedisException unreachable) {
            return Optional.empty();
        }
    }

    @Override
    public void close() {
        client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
    }
}
