package io.github.lockstarter.autoconfigure.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.mockStatic;

import io.github.lockstarter.aop.LockStartException;
import io.lettuce.core.resource.ClientResources;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.mockito.MockedStatic;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.data.redis.autoconfigure.LettuceClientConfigurationBuilderCustomizer;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.support.StaticApplicationContext;
import org.springframework.core.NativeDetector;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** Handling of {@code spring.data.redis.*} if the application's connection factory belongs to another client. */
class ApplicationRedisTests {

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(SslAutoConfiguration.class, DataRedisAutoConfiguration.class))
            .withBean(RedisConnectionFactory.class, () -> mock(RedisConnectionFactory.class));

    @Test
    void refusesAnotherClientInANativeImage() {
        RedisConnectionFactory other = mock(RedisConnectionFactory.class);
        try (MockedStatic<NativeDetector> detector = mockStatic(NativeDetector.class)) {
            detector.when(NativeDetector::inNativeImage).thenReturn(true);

            assertThatThrownBy(() -> ApplicationRedis.of(other, new StaticApplicationContext()))
                    .isInstanceOf(LockStartException.class)
                    .hasMessageContaining("Locks need Lettuce, the application's connection factory is a "
                            + other.getClass().getName()
                            + ", and a native image cannot create an additional Lettuce client");
        }
    }

    @Test
    void refusesAProxyThatHidesItsTarget() {
        ProxyFactory proxied = new ProxyFactory(new LettuceConnectionFactory("redis.internal", 6380));
        proxied.setProxyTargetClass(true);
        RedisConnectionFactory found = (RedisConnectionFactory) proxied.getProxy();
        StaticApplicationContext context = new StaticApplicationContext();

        assertThatThrownBy(() -> ApplicationRedis.of(found, context).servers())
                .isInstanceOf(LockStartException.class)
                .hasMessageContaining("has no configuration");
    }

    @Test
    void readsHostAndLogin() {
        with(
                redis -> {
                    assertThat(redis.target()).isEqualTo("redis.internal:6380, database 2");
                    assertThat(redis.servers()).singleElement().satisfies(ApplicationRedisTests::hasLoginAndDatabase);
                    assertThat(redis.client().isUseSsl()).isFalse();
                },
                "spring.data.redis.host=redis.internal",
                "spring.data.redis.port=6380",
                "spring.data.redis.username=orders",
                "spring.data.redis.password=s3cret",
                "spring.data.redis.database=2");
    }

    @Test
    void readsAUrlWithTls() {
        with(
                redis -> {
                    assertThat(redis.target()).isEqualTo("redis.internal:6380, database 2");
                    assertThat(redis.client().isUseSsl()).isTrue();
                },
                "spring.data.redis.url=rediss://orders:s3cret@redis.internal:6380/2");
    }

    @Test
    void usesAnSslBundleOfTheApplication() {
        application
                .withPropertyValues(
                        "spring.data.redis.host=redis.internal",
                        "spring.data.redis.ssl.bundle=locks",
                        "spring.ssl.bundle.pem.locks.truststore.certificate=classpath:not-there.pem")
                .run(context -> assertThatThrownBy(() -> redisOf(context))
                        .hasMessageContaining("certificate or key from file 'classpath:not-there.pem'"));
    }

    @Test
    void findsTheMasterOfSentinels() {
        with(
                redis -> {
                    assertThat(redis.target()).startsWith("the master of sentinels");
                    assertThat(redis.servers())
                            .singleElement()
                            .isInstanceOfSatisfying(RedisSentinelConfiguration.class, sentinels -> assertThat(
                                            sentinels.getMaster().getName())
                                    .isEqualTo("locks"));
                },
                "spring.data.redis.sentinel.master=locks",
                "spring.data.redis.sentinel.nodes=a:26379,b:26379");
    }

    @Test
    void findsACluster() {
        with(
                redis -> assertThat(redis.target()).startsWith("the cluster of").contains("a:7000", "b:7001"),
                "spring.data.redis.cluster.nodes=a:7000,b:7001");
    }

    @Test
    void findsTheMasterAmongStaticNodes() {
        with(
                redis -> assertThat(redis.target()).isEqualTo("the master among [a:6379, b:6379]"),
                "spring.data.redis.masterreplica.nodes=a:6379,b:6379");
    }

    @Test
    void readsVariablesOfTheEnvironment() {
        application
                .withInitializer(context -> context.getEnvironment()
                        .getPropertySources()
                        .addFirst(new SystemEnvironmentPropertySource(
                                "test-systemEnvironment", Map.of("SPRING_DATA_REDIS_HOST", "redis.internal"))))
                .run(context -> assertThat(redisOf(context).target()).isEqualTo("redis.internal:6379"));
    }

    @Test
    void prefersConnectionDetailsOfTheApplication() {
        application
                .withBean(DataRedisConnectionDetails.class, () -> new DataRedisConnectionDetails() {
                    @Override
                    public Standalone getStandalone() {
                        return Standalone.of("container", 32768);
                    }
                })
                .run(context -> assertThat(redisOf(context).target()).isEqualTo("container:32768"));
    }

    @Test
    void takesAConfigurationBean() {
        application
                .withBean(RedisStandaloneConfiguration.class, () -> new RedisStandaloneConfiguration("declared", 6381))
                .run(context -> assertThat(redisOf(context).target()).isEqualTo("declared:6381"));
    }

    @Test
    void configuresTheClientAsTheApplicationCustomizesIt() {
        application
                .withBean(
                        LettuceClientConfigurationBuilderCustomizer.class, () -> builder -> builder.clientName("shop"))
                .withPropertyValues("spring.data.redis.host=redis.internal")
                .run(context -> assertThat(redisOf(context).lockClientName()).isEqualTo("shop-lock"));
    }

    @Test
    void sharesTheClientThreadsOfTheApplicationAndLeavesThemRunning() {
        application.withPropertyValues("spring.data.redis.host=redis.internal").run(context -> {
            ClientResources threads = context.getBean(ClientResources.class);
            ApplicationRedis redis = redisOf(context);

            assertThat(redis.client().getClientResources()).containsSame(threads);
            redis.close().run();
            assertThat(threads.eventExecutorGroup().isShuttingDown()).isFalse();
        });
    }

    private void with(Consumer<ApplicationRedis> check, String... properties) {
        application.withPropertyValues(properties).run(context -> check.accept(redisOf(context)));
    }

    private static ApplicationRedis redisOf(ApplicationContext context) {
        return ApplicationRedis.of(context.getBean(RedisConnectionFactory.class), context);
    }

    private static void hasLoginAndDatabase(RedisConfiguration server) {
        assertThat(server).isInstanceOfSatisfying(RedisStandaloneConfiguration.class, standalone -> {
            assertThat(standalone.getUsername()).isEqualTo("orders");
            assertThat(standalone.getPassword().get()).isEqualTo("s3cret".toCharArray());
            assertThat(standalone.getDatabase()).isEqualTo(2);
        });
    }
}
