package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.redis.RedisConnector;
import io.github.lockstarter.redis.RedisSettings;
import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.event.DefaultEventPublisherOptions;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.Delay;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration.LettuceClientConfigurationBuilder;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration.LettuceSslClientConfigurationBuilder;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Connects as the application's own connection factory does (server, login, TLS, threads), with a client of its own whose
 * options suit locks. Reconnects within about a second, where Lettuce's default backs off to 30 s: longer than a lease.
 */
final class SpringRedisConnector implements RedisConnector {

    private static final Delay RECONNECT =
            Delay.fullJitter(Duration.ofMillis(10), Duration.ofSeconds(1), 1, TimeUnit.MILLISECONDS);
    private static final Duration SHUTDOWN = Duration.ofSeconds(2);

    private final ClientResources resources;
    private final LettuceConnectionFactory own;
    private final String target;

    SpringRedisConnector(ApplicationRedis application, RedisSettings settings) {
        LettuceClientConfiguration theirs = application.client();
        this.target = application.target();
        this.resources = theirs.getClientResources()
                .map(SpringRedisConnector::sharing)
                .orElseGet(ClientResources::builder)
                .reconnectDelay(RECONNECT)
                .build();
        this.own = new LettuceConnectionFactory(
                application.server(), clientConfiguration(theirs, application.lockClientName(), settings, resources));
        own.afterPropertiesSet();
        own.start();
    }

    @Override
    public StatefulConnection<String, String> connect() {
        return client().connect(StringCodec.UTF8);
    }

    @Override
    public StatefulRedisPubSubConnection<String, String> connectPubSub() {
        return client().connectPubSub(StringCodec.UTF8);
    }

    @Override
    public String target() {
        return target;
    }

    @Override
    public void close() {
        own.destroy();
        resources
                .shutdown(0, SHUTDOWN.toMillis(), TimeUnit.MILLISECONDS)
                .awaitUninterruptibly(SHUTDOWN.toMillis(), TimeUnit.MILLISECONDS);
    }

    private RedisClient client() {
        AbstractRedisClient client = own.getRequiredNativeClient();
        if (client instanceof RedisClient single) {
            return single;
        }
        throw new IllegalStateException(
                "Not a client of a single server: " + client.getClass().getName());
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

    private static LettuceClientConfiguration clientConfiguration(
            LettuceClientConfiguration theirs, String clientName, RedisSettings settings, ClientResources resources) {
        ClientOptions options = settings.tune(theirs.getClientOptions().orElseGet(ClientOptions::create));
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
