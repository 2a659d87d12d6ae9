package io.github.lockstarter.autoconfigure.redis;

import io.lettuce.core.RedisCredentialsProvider;
import io.lettuce.core.RedisURI;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConverters;

/**
 * Addresses and logins of servers, which a {@code LettuceConnectionFactory} passes to its client and to no other class.
 * To ask several servers at the same time takes the URI of each.
 *
 * @param client what all connections have in common
 */
record ServerUris(LettuceClientConfiguration client) {

    /** The URI of one server. */
    RedisURI ofServer(RedisStandaloneConfiguration server) {
        RedisURI uri = RedisURI.create(server.getHostName(), server.getPort());
        uri.setDatabase(server.getDatabase());
        server.getPassword().toOptional().ifPresent(password -> {
            if (server.getUsername() == null) {
                uri.setAuthentication(password);
            } else {
                uri.setAuthentication(server.getUsername(), password);
            }
        });
        client.getRedisCredentialsProviderFactory()
                .ifPresent(factory -> login(uri, factory.createCredentialsProvider(server)));
        common(uri);
        return uri;
    }

    /** The URI of the master that sentinels name. */
    RedisURI ofSentinels(RedisSentinelConfiguration sentinels) {
        RedisURI uri = LettuceConverters.sentinelConfigurationToRedisURI(sentinels);
        uri.setDatabase(sentinels.getDatabase());
        client.getRedisCredentialsProviderFactory().ifPresent(factory -> {
            login(uri, factory.createCredentialsProvider(sentinels));
            RedisCredentialsProvider there = factory.createSentinelCredentialsProvider(sentinels);
            uri.getSentinels().forEach(sentinel -> login(sentinel, there));
        });
        common(uri);
        uri.getSentinels().forEach(this::common);
        return uri;
    }

    private static void login(RedisURI uri, @Nullable RedisCredentialsProvider credentials) {
        if (credentials != null) {
            uri.setCredentialsProvider(credentials);
        }
    }

    private void common(RedisURI uri) {
        client.getClientName().ifPresent(uri::setClientName);
        uri.setSsl(client.isUseSsl());
        uri.setVerifyPeer(client.getVerifyMode());
        uri.setStartTls(client.isStartTls());
        uri.setTimeout(client.getCommandTimeout());
    }
}
