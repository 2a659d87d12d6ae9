package io.github.lockstarter.autoconfigure.redis;

import io.github.lockstarter.redis.connector.LockClientResources;
import io.github.lockstarter.redis.connector.RedisConnector;
import io.github.lockstarter.redis.connector.RedisConnector.Target;
import io.github.lockstarter.redis.connector.RedisConnectors;
import io.github.lockstarter.redis.settings.RedisSettings;
import io.github.lockstarter.redis.settings.RedisSetup;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCredentialsProvider;
import io.lettuce.core.RedisURI;
import io.lettuce.core.StaticCredentialsProvider;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.resource.ClientResources;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration.LettuceClientConfigurationBuilder;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConverters;

/**
 * Creates connections like the application's factory (server, login, TLS, resolver, Netty customizer), but with an own
 * client on {@linkplain LockClientResources threads of its own} and with options that suit locks.
 */
final class SpringRedisConnector {

    private SpringRedisConnector() {}

    /** Creates the client without connecting it. */
    static RedisConnector of(ApplicationRedis application, RedisSettings settings) {
        LettuceClientConfiguration theirs = application.client();
        LockClientResources resources = LockClientResources.like(theirs.getClientResources());
        List<RedisConfiguration> servers = application.servers();
        LettuceClientConfiguration client =
                clientConfiguration(application, servers.get(0), resources.resources(), settings);
        LettuceConnectionFactory own = new LettuceConnectionFactory(servers.get(0), client);
        own.afterPropertiesSet();
        own.start();
        Target target = new Target(application.target(), theirs.isUseSsl(), RedisSetup.APPLICATION);
        Runnable closing = () -> {
            own.destroy();
            resources.close();
            application.close().run();
        };
        if (own.getRequiredNativeClient() instanceof RedisClusterClient cluster) {
            return RedisConnectors.toCluster(cluster, target, closing);
        }
        return connector((RedisClient) own.getRequiredNativeClient(), servers, new ServerUris(client), target, closing);
    }

    private static RedisConnector connector(
            RedisClient client, List<RedisConfiguration> servers, ServerUris uris, Target target, Runnable closing) {
        if (servers.get(0) instanceof RedisSentinelConfiguration sentinels) {
            return RedisConnectors.toMasterOf(client, uris.ofSentinels(sentinels), target, closing);
        }
        if (servers.size() == 1) {
            return RedisConnectors.toServer(client, target, closing);
        }
        List<RedisURI> each = servers.stream()
                .map(RedisStandaloneConfiguration.class::cast)
                .map(uris::ofServer)
                .toList();
        return RedisConnectors.toMasterAmong(client, each, target, closing);
    }

    private static LettuceClientConfiguration clientConfiguration(
            ApplicationRedis application,
            RedisConfiguration server,
            ClientResources resources,
            RedisSettings settings) {
        LettuceClientConfiguration theirs = application.client();
        ClientOptions options = theirs.getClientOptions().orElseGet(ClientOptions::create);
        boolean clustered = server instanceof RedisConfiguration.ClusterConfiguration;
        LettuceClientConfigurationBuilder builder = LettuceClientConfiguration.builder()
                .clientResources(resources)
                .clientOptions(clustered ? settings.tuneCluster(options) : settings.tune(options))
                .clientName(application.lockClientName())
                .commandTimeout(settings.commandTimeout())
                .shutdownQuietPeriod(Duration.ZERO)
                .shutdownTimeout(LockClientResources.SHUTDOWN);
        theirs.getRedisCredentialsProviderFactory().ifPresent(builder::redisCredentialsProviderFactory);
        if (theirs.isUseSsl()) {
            LettuceClientConfiguration.LettuceSslClientConfigurationBuilder ssl =
                    builder.useSsl().verifyPeer(theirs.getVerifyMode());
            return (theirs.isStartTls() ? ssl.startTls() : ssl).build();
        }
        return builder.build();
    }

    /**
     * Creates server URIs with logins, for asking several servers at once. A {@code LettuceConnectionFactory} exposes
     * them only to its own client.
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
}
