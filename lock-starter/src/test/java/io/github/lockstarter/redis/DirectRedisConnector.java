package io.github.lockstarter.redis;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.Delay;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Connects to one server without Spring, for tests and their child JVMs. */
public final class DirectRedisConnector implements RedisConnector {

    private final ClientResources resources = ClientResources.builder()
            .reconnectDelay(Delay.constant(Duration.ofMillis(20)))
            .build();
    private final RedisURI uri;
    private final RedisClient client;

    /**
     * Prepares connections to a server.
     *
     * @param uri where it is, and as whom to log in
     * @param settings the lock's settings
     */
    public DirectRedisConnector(RedisURI uri, RedisSettings settings) {
        this(uri, settings, settings.tune(ClientOptions.create()));
    }

    /** Prepares connections with other options than the tuned ones. */
    DirectRedisConnector(RedisURI uri, RedisSettings settings, ClientOptions options) {
        this.uri = uri;
        uri.setTimeout(settings.commandTimeout());
        this.client = RedisClient.create(resources, uri);
        client.setOptions(options);
    }

    @Override
    public StatefulConnection<String, String> connect() {
        return client.connect(StringCodec.UTF8);
    }

    @Override
    public StatefulRedisPubSubConnection<String, String> connectPubSub() {
        return client.connectPubSub(StringCodec.UTF8);
    }

    @Override
    public String target() {
        return uri.getHost() + ":" + uri.getPort();
    }

    @Override
    public void close() {
        client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
        resources.shutdown(0, 2, TimeUnit.SECONDS).awaitUninterruptibly(3, TimeUnit.SECONDS);
    }
}
