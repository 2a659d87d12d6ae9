package io.github.lockstarter.kit.redis;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The kit's own connection to a server, with a user that tests do not change. Connects lazily. */
final class FixtureClient implements AutoCloseable {

    private static final String USER = "fixture";
    private static final RedisClient CLIENT = client();

    private final RedisURI uri;
    private @Nullable StatefulRedisConnection<String, String> connection;

    /** Sentinel before 6.2 has no users and accepts every client. */
    FixtureClient(String host, int port, boolean asUser) {
        RedisURI.Builder builder =
                RedisURI.builder().withHost(host).withPort(port).withTimeout(Duration.ofSeconds(20));
        uri = (asUser ? builder.withAuthentication(USER, "any") : builder).build();
    }

    private static RedisClient client() {
        RedisClient client = RedisClient.create();
        client.setOptions(ClientOptions.builder().autoReconnect(false).build());
        return client;
    }

    static Stream<String> userArguments() {
        return Stream.concat(Stream.of("--user", USER), RedisServer.supported("on", "nopass", "~*", "&*", "+@all"));
    }

    static Stream<String> replicaArguments() {
        return Stream.of("--masteruser", USER, "--masterauth", "any", "--repl-diskless-sync-delay", "0");
    }

    synchronized RedisCommands<String, String> commands() {
        if (connection == null || !connection.isOpen()) {
            close();
            connection = CLIENT.connect(uri);
        }
        return connection.sync();
    }

    @Override
    public synchronized void close() {
        if (connection != null) {
            connection.close();
            connection = null;
        }
    }
}
