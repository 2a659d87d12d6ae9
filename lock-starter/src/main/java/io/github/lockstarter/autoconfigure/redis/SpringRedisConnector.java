package io.github.lockstarter.autoconfigure.redis;

import io.github.lockstarter.redis.connector.RedisConnector;
import io.github.lockstarter.redis.connector.RedisConnector.Target;
import io.github.lockstarter.redis.connector.RedisConnectors;
import io.github.lockstarter.redis.settings.RedisSettings;
import io.github.lockstarter.redis.settings.RedisSetup;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.event.DefaultEventPublisherOptions;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.Delay;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration.LettuceClientConfigurationBuilder;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Creates connections like the application's factory (server, login, TLS, threads), but with an own client whose
 * options suit locks. It reconnects within about a second; Lettuce's default delay grows to 30 s, longer than a lease.
 */
final class SpringRedisConnector {

    private static final Delay RECONNECT =
            Delay.fullJitter(Duration.ofMillis(10), Duration.ofSeconds(1), 1, TimeUnit.MILLISECONDS);

    static final Duration SHUTDOWN = Duration.ofSeconds(2);

    private SpringRedisConnector() {}

    /** Creates the client without connecting it. */
    static RedisConnector of(ApplicationRedis application, RedisSettings settings) {
        LettuceClientConfiguration theirs = application.client();
        ClientResources resources = resources(theirs.getClientResources());
        List<RedisConfiguration> servers = application.servers();
        LettuceClientConfiguration client = clientConfiguration(application, servers.get(0), resources, settings);
        LettuceConnectionFactory own = new LettuceConnectionFactory(servers.get(0), client);
        own.afterPropertiesSet();
        own.start();
        Target target = new Target(application.target(), theirs.isUseSsl(), RedisSetup.APPLICATION);
        Runnable closing = () -> {
            own.destroy();
            close(resources);
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

    /** Reuses the application's threads, if any, with a reconnect delay shorter than a lease. */
    static ClientResources resources(Optional<ClientResources> theirs) {
        return theirs.map(SpringRedisConnector::sharing)
                .orElseGet(ClientResources::builder)
                .reconnectDelay(RECONNECT)
                .build();
    }

    /** Shuts down resources that are not shared. */
    static void close(ClientResources resources) {
        resources
                .shutdown(0, SHUTDOWN.toMillis(), TimeUnit.MILLISECONDS)
                .awaitUninterruptibly(SHUTDOWN.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Marks the threads as shared, so that closing the copy does not stop the application's threads. */
    private static ClientResources.Builder sharing(ClientResources theirs) {
        return theirs.mutate()
                .eventLoopGroupProvider(theirs.eventLoopGroupProvider())
                .eventExecutorGroup(theirs.eventExecutorGroup())
                .timer(theirs.timer())
                .commandLatencyRecorder(theirs.commandLatencyRecorder())
                .commandLatencyPublisherOptions(DefaultEventPublisherOptions.disabled());
    }

    private static LettuceClientConfiguration clientConfiguration(
            ApplicationRedis application,
            RedisConfiguration server,
            ClientResources resources,
            RedisSettings settings) {
        LettuceClientConfiguration theirs = application.client();
        ClientOptions options = theirs.getClientOptions().orElseGet(ClientOptions::create);
        boolean isCluster = server instanceof RedisConfiguration.ClusterConfiguration;
        LettuceClientConfigurationBuilder builder = LettuceClientConfiguration.builder()
                .clientResources(resources)
                .clientOptions(isCluster ? settings.tuneCluster(options) : settings.tune(options))
                .clientName(application.lockClientName())
                .commandTimeout(settings.commandTimeout())
                .shutdownQuietPeriod(Duration.ZERO)
                .shutdownTimeout(SHUTDOWN);
        theirs.getRedisCredentialsProviderFactory().ifPresent(builder::redisCredentialsProviderFactory);
        if (theirs.isUseSsl()) {
            LettuceClientConfiguration.LettuceSslClientConfigurationBuilder ssl =
                    builder.useSsl().verifyPeer(theirs.getVerifyMode());
            return (theirs.isStartTls() ? ssl.startTls() : ssl).build();
        }
        return builder.build();
    }
}
