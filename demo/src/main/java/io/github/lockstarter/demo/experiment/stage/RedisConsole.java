package io.github.lockstarter.demo.experiment.stage;

import io.github.lockstarter.sample.process.Loopback;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;

/** Sends single commands to single servers, as {@code redis-cli -p} does: a connection for each. */
public final class RedisConsole implements AutoCloseable {

    private static final Duration TIMEOUT = Duration.ofSeconds(1);

    private final RedisClient client = RedisClient.create();
    private final AtomicBoolean closed = new AtomicBoolean();

    /** A console without connections. */
    public RedisConsole() {
        client.setOptions(ClientOptions.builder().autoReconnect(false).build());
    }

    /**
     * Asks a server.
     *
     * @param port its port
     * @param question what to do with the connection
     * @param <T> type of the answer
     * @return what it answers
     * @throws io.lettuce.core.RedisException when it does not answer, or refuses
     */
    public <T> T ask(int port, Function<RedisCommands<String, String>, T> question) {
        if (closed.get()) {
            throw new IllegalStateException("Taken down meanwhile");
        }
        RedisURI uri = RedisURI.builder()
                .withHost(Loopback.HOST)
                .withPort(port)
                .withTimeout(TIMEOUT)
                .build();
        try (StatefulRedisConnection<String, String> connection = client.connect(uri)) {
            return question.apply(connection.sync());
        }
    }

    @Override
    public void close() {
        closed.set(true);
        client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
    }
}
