package io.github.lockstarter.benchmarks.client;

import io.github.lockstarter.redis.GatheredWrites;
import io.github.lockstarter.redis.RedisConnector;
import io.github.lockstarter.redis.RedisSettings;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.lettuce.core.resource.ClientResources;
import java.util.concurrent.TimeUnit;

/** Connects the starter's backend through a plain Lettuce client with the starter's own options. */
final class PlainRedisConnector implements RedisConnector {

    private final ClientResources resources =
            ClientResources.builder().nettyCustomizer(GatheredWrites.alone()).build();
    private final RedisURI uri;
    private final RedisClient client;

    PlainRedisConnector(RedisURI uri, RedisSettings settings) {
        this.uri = RedisURI.builder(uri).withTimeout(settings.commandTimeout()).build();
        this.client = RedisClient.create(resources, this.uri);
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
    public void close() {
        client.shutdown();
        resources.shutdown(0, 2, TimeUnit.SECONDS).awaitUninterruptibly(3, TimeUnit.SECONDS);
    }
}
