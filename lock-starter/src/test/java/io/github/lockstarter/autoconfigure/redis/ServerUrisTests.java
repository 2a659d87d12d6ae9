package io.github.lockstarter.autoconfigure.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisCredentials;
import io.lettuce.core.RedisCredentialsProvider;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SslVerifyMode;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.DirectFieldAccessor;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration.LettuceClientConfigurationBuilder;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.connection.lettuce.RedisCredentialsProviderFactory;

/** The URIs equal those that Spring's connection factory gives to its client. */
class ServerUrisTests {

    private final LettuceClientConfigurationBuilder builder =
            LettuceClientConfiguration.builder().clientName("orders-lock").commandTimeout(Duration.ofMillis(1_234));

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void equalThoseOfSpringForAServer(boolean user) {
        RedisStandaloneConfiguration server = new RedisStandaloneConfiguration("redis-1", 6380);
        server.setDatabase(3);
        server.setUsername(user ? "app" : null);
        server.setPassword("s3cret");
        LettuceClientConfiguration client =
                builder.useSsl().verifyPeer(SslVerifyMode.CA).startTls().build();
        assertAreTheSame(new SpringRedisConnector.ServerUris(client).ofServer(server), springs(server, client));
    }

    @Test
    void equalThoseOfSpringForAServerWithoutALogin() {
        RedisStandaloneConfiguration server = new RedisStandaloneConfiguration("redis-1", 6380);
        LettuceClientConfiguration client = builder.build();
        assertAreTheSame(new SpringRedisConnector.ServerUris(client).ofServer(server), springs(server, client));
    }

    @Test
    void equalThoseOfSpringForSentinels() {
        LettuceClientConfiguration client = builder.useSsl().build();
        assertAreTheSame(
                new SpringRedisConnector.ServerUris(client).ofSentinels(sentinels()), springs(sentinels(), client));
    }

    @Test
    void equalThoseOfSpringWithACredentialsProvider() {
        RedisCredentialsProvider provided = RedisCredentialsProvider.from(() -> RedisCredentials.just("own", "s3cret"));
        RedisCredentialsProviderFactory factory = new RedisCredentialsProviderFactory() {
            @Override
            public RedisCredentialsProvider createCredentialsProvider(RedisConfiguration any) {
                return provided;
            }

            @Override
            public RedisCredentialsProvider createSentinelCredentialsProvider(RedisSentinelConfiguration any) {
                return provided;
            }
        };
        LettuceClientConfiguration client =
                builder.redisCredentialsProviderFactory(factory).build();
        RedisURI uri = new SpringRedisConnector.ServerUris(client).ofSentinels(sentinels());
        assertAreTheSame(uri, springs(sentinels(), client));
        assertThat(uri.getCredentialsProvider()).isSameAs(provided);

        RedisStandaloneConfiguration server = new RedisStandaloneConfiguration("redis-1", 6380);
        assertAreTheSame(new SpringRedisConnector.ServerUris(client).ofServer(server), springs(server, client));
    }

    private static RedisSentinelConfiguration sentinels() {
        RedisSentinelConfiguration sentinels = new RedisSentinelConfiguration()
                .master("locks")
                .sentinel("s-1", 26379)
                .sentinel("s-2", 26380);
        sentinels.setDatabase(2);
        sentinels.setUsername("app");
        sentinels.setPassword("s3cret");
        sentinels.setSentinelUsername("watcher");
        sentinels.setSentinelPassword("s3cret too");
        return sentinels;
    }

    private static RedisURI springs(RedisConfiguration server, LettuceClientConfiguration client) {
        LettuceConnectionFactory factory = new LettuceConnectionFactory(server, client);
        factory.afterPropertiesSet();
        factory.start();
        try {
            Object uri = new DirectFieldAccessor(factory.getRequiredNativeClient()).getPropertyValue("redisURI");
            return (RedisURI) uri;
        } finally {
            factory.destroy();
        }
    }

    /** Equal, except for the library name and version that Spring reports to the server. */
    private static void assertAreTheSame(RedisURI uri, RedisURI springs) {
        assertThat(uri)
                .usingRecursiveComparison()
                .ignoringFieldsMatchingRegexes(".*(driverInfo|libraryName|libraryVersion|credentialsProvider)")
                .isEqualTo(springs);
        assertThat(logins(uri)).isEqualTo(logins(springs));
        assertThat(uri.getTimeout()).isEqualTo(Duration.ofMillis(1_234));
    }

    /** At the master, and at each sentinel. */
    private static List<String> logins(RedisURI uri) {
        return Stream.concat(Stream.of(uri), uri.getSentinels().stream())
                .map(server ->
                        server.getCredentialsProvider().resolveCredentials().block())
                .map(login -> login.getUsername() + ":" + Arrays.toString(login.getPassword()))
                .toList();
    }
}
