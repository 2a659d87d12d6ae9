package io.github.lockstarter.testing;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The fixture's own connection, as a user that no test touches. Connected when first asked for. */
final class FixtureClient implements AutoCloseable {

    private static final String USER = "fixture";

    private final RedisClient client;
    private @Nullable StatefulRedisConnection<String, String> connection;

    FixtureClient(String host, int port) {
        client = RedisClient.create(RedisURI.builder()
                .withHost(host)
                .withPort(port)
                .withAuthentication(USER, "any")
                .withTimeout(Duration.ofSeconds(5))
                .build());
        client.setOptions(ClientOptions.builder().autoReconnect(false).build());
    }

    /** Arguments of the server that create the user. */
    static String[] serverArguments() {
        return new String[] {"--user", USER, "on", "nopass", "~*", "&*", "+@all"};
    }

    synchronized RedisCommands<String, String> commands() {
        if (connection == null || !connection.isOpen()) {
            disconnect();
            connection = client.connect();
        }
        return connection.sync();
    }

    synchronized void disconnect() {
        if (connection != null) {
            connection.close();
            connection = null;
        }
    }

    @Override
    public void close() {
        disconnect();
        client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
    }
}
