package io.github.lockstarter.benchmarks.client;

import io.github.lockstarter.redis.connector.LockClientResources;
import io.github.lockstarter.redis.connector.RedisConnector;
import io.github.lockstarter.redis.connector.RedisConnectors;
import io.github.lockstarter.redis.settings.RedisSettings;
import io.github.lockstarter.redis.settings.RedisSetup;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import java.util.function.UnaryOperator;

/** Connects the starter's backend through a plain Lettuce client with the starter's options and threads. */
final class PlainRedisConnector {

    private PlainRedisConnector() {}

    static RedisConnector of(RedisURI uri, RedisSettings settings) {
        LockClientResources resources = new LockClientResources(UnaryOperator.identity());
        RedisClient client = RedisClient.create(
                resources.resources(),
                RedisURI.builder(uri).withTimeout(settings.commandTimeout()).build());
        client.setOptions(settings.tune(ClientOptions.create()));
        RedisConnector.Target target =
                new RedisConnector.Target(uri.getHost() + ":" + uri.getPort(), false, RedisSetup.APPLICATION);
        return RedisConnectors.toServer(client, target, () -> {
            client.shutdown();
            resources.close();
        });
    }
}
