package io.github.lockstarter.benchmarks.client;

import io.github.lockstarter.redis.connector.RedisConnector;
import io.github.lockstarter.redis.settings.RedisSettings;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.util.concurrent.ScheduledExecutorService;

/** Connects the starter's backend through a plain Lettuce client with the starter's options. */
final class PlainRedisConnector implements RedisConnector {

    private final RedisURI uri;
    private final RedisClient client;

    PlainRedisConnector(RedisURI uri, RedisSettings settings) {
        this.uri = RedisURI.builder(uri).withTimeout(settings.commandTimeout()).build();
        this.client = RedisClient.create(this.uri);
        client.setOptions(settings.tune(ClientOptions.create()));
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
    public ScheduledExecutorService timer() {
        return client.getResources().eventExecutorGroup();
    }

    @Override
    public void close() {
        client.shutdown();
    }
}
