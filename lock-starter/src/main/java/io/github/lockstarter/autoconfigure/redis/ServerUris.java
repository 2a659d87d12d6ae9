package io.github.lockstarter.autoconfigure.redis;

import io.lettuce.core.RedisCredentialsProvider;
import io.lettuce.core.RedisURI;
import io.lettuce.core.StaticCredentialsProvider;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConverters;

/**
 * Creates server URIs with logins, for asking several servers at once. A {@code LettuceConnectionFactory} exposes them
 * only to its own client.
 */
record ServerUris(LettuceClientConfiguration client) {

    RedisURI ofServer(RedisStandaloneConfiguration server) {
        RedisURI uri = RedisURI.create(server.getHostName(), server.getPort());
        uri.setDatabase(server.getDatabase());
        server.getPassword()
                .toOptional()
                .ifPresent(password ->
                        uri.setCredentialsProvider(new StaticCredentialsProvider(server.getUsername(), password)));
        client.getRedisCredentialsProviderFactory()
                .ifPresent(factory -> login(uri, factory.createCredentialsProvider(server)));
        common(uri);
        return uri;
    }

    RedisURI ofSentinels(RedisSentinelConfiguration sentinels) {
        RedisURI uri = LettuceConverters.sentinelConfigurationToRedisURI(sentinels);
        uri.setDatabase(sentinels.getDatabase());
        client.getRedisCredentialsProviderFactory().ifPresent(factory -> {
            login(uri, factory.createCredentialsProvider(sentinels));
            RedisCredentialsProvider credentials = factory.createSentinelCredentialsProvider(sentinels);
            uri.getSentinels().forEach(sentinel -> login(sentinel, credentials));
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
