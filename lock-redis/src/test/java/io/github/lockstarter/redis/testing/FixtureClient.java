package io.github.lockstarter.redis.testing;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The fixture's own connection, as a user that no test touches. Connected when first asked for. */
final class FixtureClient implements AutoCloseable {

    private static final String USER = "fixture";

    private final RedisClient client;
    private @Nullable StatefulRedisConnection<String, String> connection;

    FixtureClient(String host, int port) {
        this(uri(host, port).withAuthentication(USER, "any"));
    }

    private FixtureClient(RedisURI.Builder uri) {
        client = RedisClient.create(uri.build());
        client.setOptions(ClientOptions.builder().autoReconnect(false).build());
    }

    /** To a sentinel. Those before version 6.2 have no users, and let everybody in. */
    static FixtureClient ofSentinel(String host, int port) {
        return RedisBinary.isBefore(6, 2) ? new FixtureClient(uri(host, port)) : new FixtureClient(host, port);
    }

    private static RedisURI.Builder uri(String host, int port) {
        return RedisURI.builder().withHost(host).withPort(port).withTimeout(Duration.ofSeconds(5));
    }

    /** Arguments of the server that create the user. */
    static String[] serverArguments() {
        return Stream.concat(
                        Stream.of("--user", USER),
                        Stream.of(RawCommands.understood("on", "nopass", "~*", "&*", "+@all")))
                .toArray(String[]::new);
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
