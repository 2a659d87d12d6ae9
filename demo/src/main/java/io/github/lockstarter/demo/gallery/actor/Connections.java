package io.github.lockstarter.demo.gallery.actor;

import io.github.lockstarter.sample.process.Loopback;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.sync.RedisCommands;
import java.lang.reflect.Proxy;
import java.time.Duration;

/** Connections to servers of this machine, closed together. */
final class Connections implements AutoCloseable {

    private static final Duration TIMEOUT = Duration.ofSeconds(5);

    private final RedisClient client = RedisClient.create();

    Connections() {
        client.setOptions(ClientOptions.builder()
                .disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
                .build());
    }

    /**
     * Connects.
     *
     * @param port of the server
     * @return its commands; where nothing listens, each throws a {@link RedisException}
     */
    RedisCommands<String, String> to(int port) {
        RedisURI uri = RedisURI.builder()
                .withHost(Loopback.HOST)
                .withPort(port)
                .withTimeout(TIMEOUT)
                .build();
        try {
            return client.connect(uri).sync();
        } catch (RedisException unreachable) {
            return unreachable(port);
        }
    }

    @Override
    public void close() {
        client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
    }

    @SuppressWarnings("unchecked") // Of an interface with type parameters.
    private static RedisCommands<String, String> unreachable(int port) {
        return (RedisCommands<String, String>) Proxy.newProxyInstance(
                Connections.class.getClassLoader(),
                new Class<?>[] {RedisCommands.class},
                (proxy, method, arguments) -> {
                    throw new RedisException("Nothing listens on port " + port);
                });
    }
}
