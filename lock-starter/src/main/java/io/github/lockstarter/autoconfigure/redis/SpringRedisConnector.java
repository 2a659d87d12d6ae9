package io.github.lockstarter.autoconfigure.redis;

import io.github.lockstarter.redis.connector.RedisConnector;
import io.github.lockstarter.redis.connector.RedisConnectors;
import io.github.lockstarter.redis.settings.RedisSettings;
import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.event.DefaultEventPublisherOptions;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.Delay;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration.LettuceClientConfigurationBuilder;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration.LettuceSslClientConfigurationBuilder;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Connects as the application's own connection factory does (server, login, TLS, threads), with a client of its own
 * whose options suit locks. Reconnects within about a second, where Lettuce's default backs off to 30 s: longer than a
 * lease.
 */
final class SpringRedisConnector implements RedisConnector {

    private static final Delay RECONNECT =
            Delay.fullJitter(Duration.ofMillis(10), Duration.ofSeconds(1), 1, TimeUnit.MILLISECONDS);
    static final Duration SHUTDOWN = Duration.ofSeconds(2);

    private final ClientResources resources;
    private final LettuceConnectionFactory own;
    private final RedisConnector connector;
    private final boolean promotedBySentinels;
    private final Runnable closeApplication;
    private final boolean encrypted;

    SpringRedisConnector(ApplicationRedis application, RedisSettings settings) {
        LettuceClientConfiguration theirs = application.client();
        this.closeApplication = application.close();
        this.resources = resources(theirs.getClientResources());
        List<RedisConfiguration> servers = application.servers();
        RedisConfiguration first = servers.get(0);
        LettuceClientConfiguration client = clientConfiguration(
                theirs, application.lockClientName(), optionsFor(first, theirs, settings), settings);
        this.own = new LettuceConnectionFactory(first, client);
        this.promotedBySentinels = first instanceof RedisSentinelConfiguration;
        this.encrypted = theirs.isUseSsl();
        own.afterPropertiesSet();
        own.start();
        this.connector = connector(servers, client, application.target());
    }

    private RedisConnector connector(
            List<RedisConfiguration> servers, LettuceClientConfiguration configuration, String target) {
        AbstractRedisClient client = own.getRequiredNativeClient();
        if (client instanceof RedisClusterClient cluster) {
            return RedisConnectors.toCluster(cluster, target, this::closeOwn);
        }
        RedisClient toServers = (RedisClient) client;
        ServerUris uris = new ServerUris(configuration);
        if (servers.get(0) instanceof RedisSentinelConfiguration sentinels) {
            return RedisConnectors.toMasterOf(toServers, uris.ofSentinels(sentinels), target, this::closeOwn);
        }
        if (servers.size() == 1) {
            return RedisConnectors.toServer(toServers, target, this::closeOwn);
        }
        List<RedisURI> each = servers.stream()
                .map(RedisStandaloneConfiguration.class::cast)
                .map(uris::ofServer)
                .toList();
        return RedisConnectors.toMasterAmong(toServers, each, target, this::closeOwn);
    }

    @Override
    public StatefulConnection<String, String> connect() {
        return connector.connect();
    }

    @Override
    public StatefulRedisPubSubConnection<String, String> connectPubSub() {
        return connector.connectPubSub();
    }

    @Override
    public ScheduledExecutorService timer() {
        return connector.timer();
    }

    @Override
    public boolean isCluster() {
        return connector.isCluster();
    }

    @Override
    public boolean isPromotedBySentinels() {
        return promotedBySentinels;
    }

    @Override
    public boolean hasReplicas() {
        return connector.hasReplicas();
    }

    @Override
    public CompletionStage<Boolean> haveAll(String history, long offset) {
        return connector.haveAll(history, offset);
    }

    @Override
    public boolean isEncrypted() {
        return encrypted;
    }

    @Override
    public void refresh() {
        connector.refresh();
    }

    @Override
    public String target() {
        return connector.target();
    }

    @Override
    public void close() {
        connector.close();
    }

    private void closeOwn() {
        own.destroy();
        close(resources);
        closeApplication.run();
    }

    private static ClientOptions optionsFor(
            RedisConfiguration server, LettuceClientConfiguration theirs, RedisSettings settings) {
        ClientOptions options = theirs.getClientOptions().orElseGet(ClientOptions::create);
        return server instanceof RedisConfiguration.ClusterConfiguration
                ? settings.tuneCluster(options)
                : settings.tune(options);
    }

    /** Threads of the application if it has any, and a reconnect that does not outlast a lease. */
    static ClientResources resources(Optional<ClientResources> theirs) {
        return theirs.map(SpringRedisConnector::sharing)
                .orElseGet(ClientResources::builder)
                .reconnectDelay(RECONNECT)
                .build();
    }

    /** Ends what is not shared. */
    static void close(ClientResources resources) {
        resources
                .shutdown(0, SHUTDOWN.toMillis(), TimeUnit.MILLISECONDS)
                .awaitUninterruptibly(SHUTDOWN.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Marks the threads as shared, so that closing the copy leaves them to the application. */
    private static ClientResources.Builder sharing(ClientResources theirs) {
        return theirs.mutate()
                .eventLoopGroupProvider(theirs.eventLoopGroupProvider())
                .eventExecutorGroup(theirs.eventExecutorGroup())
                .timer(theirs.timer())
                .commandLatencyRecorder(theirs.commandLatencyRecorder())
                .commandLatencyPublisherOptions(DefaultEventPublisherOptions.disabled());
    }

    private LettuceClientConfiguration clientConfiguration(
            LettuceClientConfiguration theirs, String clientName, ClientOptions options, RedisSettings settings) {
        LettuceClientConfigurationBuilder builder = LettuceClientConfiguration.builder()
                .clientResources(resources)
                .clientOptions(options)
                .clientName(clientName)
                .commandTimeout(settings.commandTimeout())
                .shutdownQuietPeriod(Duration.ZERO)
                .shutdownTimeout(SHUTDOWN);
        theirs.getRedisCredentialsProviderFactory().ifPresent(builder::redisCredentialsProviderFactory);
        if (theirs.isUseSsl()) {
            LettuceSslClientConfigurationBuilder ssl = builder.useSsl().verifyPeer(theirs.getVerifyMode());
            return (theirs.isStartTls() ? ssl.startTls() : ssl).build();
        }
        return builder.build();
    }
}
