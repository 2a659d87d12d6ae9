package io.github.lockstarter.autoconfigure.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

import io.github.lockstarter.autoconfigure.DistributedLockAutoConfiguration;
import io.github.lockstarter.autoconfigure.testing.FailureReport;
import io.github.lockstarter.local.LocalLockBackend;
import io.github.lockstarter.redis.RedisLockBackend;
import io.github.lockstarter.spi.LockBackend;
import org.assertj.core.api.AbstractStringAssert;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.config.BeanDefinitionCustomizer;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.RedisStaticMasterReplicaConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

@ExtendWith(OutputCaptureExtension.class)
class RedisLockConfigurationTests {

    /** Nothing ever listens on the discard port of a build machine. */
    private static final String NOBODY = "spring.data.redis.port=9";

    private final ApplicationContextRunner locks = new ApplicationContextRunner()
            .withConfiguration(
                    AutoConfigurations.of(DistributedLockAutoConfiguration.class, RedisLockAutoConfiguration.class));

    private final ApplicationContextRunner application =
            locks.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class));

    @Test
    void failsWithoutAConnectionFactory() {
        locks.run(context -> assertThatReport(context)
                .contains("no RedisConnectionFactory")
                .contains("spring.data.redis.host", "distributed-lock.backend=local")
                .doesNotContain("required-at-start"));
    }

    @Test
    void failsWithAnotherClientWhenNoRedisAddressIsConfigured() {
        locks.withBean(RedisConnectionFactory.class, () -> mock(RedisConnectionFactory.class))
                .run(context -> assertThatReport(context)
                        .contains("Locks need Lettuce", "spring.data.redis.* does not say where Redis is")
                        .contains("Set spring.data.redis.host", "@DistributedLockRedisConnectionFactory")
                        .doesNotContain("client-type"));
    }

    @Test
    void usesItsOwnLettuceClientWhenTheApplicationUsesAnotherClient(CapturedOutput output) {
        locks.withBean(RedisConnectionFactory.class, () -> mock(RedisConnectionFactory.class))
                .withPropertyValues(NOBODY, "spring.data.redis.client-type=jedis")
                .run(context -> assertThatReport(context).contains("Could not connect to Redis at localhost:9"));

        assertThat(output)
                .containsOnlyOnce("Distributed locks use a Lettuce client of their own, to Redis at localhost:9");
    }

    @Test
    void failsWithAnotherClientWithoutTheRedisModuleOfBoot() {
        locks.withBean(RedisConnectionFactory.class, () -> mock(RedisConnectionFactory.class))
                .withClassLoader(new FilteredClassLoader("org.springframework.boot.data.redis"))
                .withPropertyValues(NOBODY)
                .run(context -> assertThatReport(context).contains("Add spring-boot-starter-data-redis"));
    }

    @Test
    void failsWhenOnlyAValkeyIsConfigured() {
        application
                .withPropertyValues("spring.data.valkey.host=valkey.internal")
                .run(context -> assertThatReport(context)
                        .contains("spring.data.valkey.*, which locks do not read", "localhost:6379")
                        .contains("Set spring.data.redis.host"));
    }

    @Test
    void usesTheRedisThatIsConfiguredBesideAValkey() {
        application
                .withPropertyValues("spring.data.valkey.host=valkey.internal", NOBODY)
                .run(context -> assertThatReport(context).contains("Could not connect to Redis at localhost:9"));
    }

    @Test
    void failsWithSeveralConnectionFactories() {
        locks.withBean("one", RedisConnectionFactory.class, () -> mock(RedisConnectionFactory.class))
                .withBean("two", RedisConnectionFactory.class, () -> mock(RedisConnectionFactory.class))
                .run(context -> assertThatReport(context)
                        .contains("several RedisConnectionFactory")
                        .contains("@Primary", "@DistributedLockRedisConnectionFactory"));
    }

    @Test
    void failsWithSeveralPrimaryConnectionFactories() {
        BeanDefinitionCustomizer primary = definition -> definition.setPrimary(true);
        locks.withBean("one", RedisConnectionFactory.class, () -> mock(RedisConnectionFactory.class), primary)
                .withBean("two", RedisConnectionFactory.class, () -> mock(RedisConnectionFactory.class), primary)
                .run(context -> assertThatReport(context)
                        .contains("several RedisConnectionFactory")
                        .contains("@Primary", "@DistributedLockRedisConnectionFactory"));
    }

    @Test
    void usesTheMarkedOneOfSeveralConnectionFactories() {
        locks.withUserConfiguration(Sessions.class, Marked.class)
                .run(context -> assertThatReport(context).contains("Could not connect to Redis at localhost:10"));
    }

    @Test
    void keepsTheConnectionFactoryOfTheApplicationWhenTheMarkedOneIsNoDefaultCandidate(CapturedOutput output) {
        application
                .withUserConfiguration(MarkedForLocksOnly.class)
                .withPropertyValues(NOBODY, "distributed-lock.redis.required-at-start=false")
                .run(context -> {
                    assertThat(context).hasNotFailed().hasBean("redisConnectionFactory");
                    assertThat(context.getBean(StringRedisTemplate.class).getConnectionFactory())
                            .isSameAs(context.getBean("redisConnectionFactory"));
                });
        assertThat(output).contains("Could not connect to Redis at localhost:10");
    }

    @Test
    void failsWithSeveralMarkedConnectionFactories() {
        locks.withUserConfiguration(Marked.class, AlsoMarked.class).run(context -> assertThatReport(context)
                .contains("several RedisConnectionFactory beans marked with @DistributedLockRedisConnectionFactory"));
    }

    @Test
    void failsWithAMarkedConnectionFactoryOfAnotherClient() {
        application
                .withUserConfiguration(MarkedOfAnotherClient.class)
                .withPropertyValues(NOBODY)
                .run(context -> assertThatReport(context)
                        .contains("marked with @DistributedLockRedisConnectionFactory is a")
                        .contains("Mark a LettuceConnectionFactory"));
    }

    @Test
    void connectsToTheNodesOfACluster() {
        application
                .withPropertyValues("spring.data.redis.cluster.nodes=localhost:9")
                .run(context -> assertThatReport(context).contains("the cluster of [localhost:9]", ".cluster"));
    }

    @Test
    void findsTheMasterAmongStaticNodes() {
        application
                .withPropertyValues("spring.data.redis.masterreplica.nodes=localhost:9,localhost:10")
                .run(context -> assertThatReport(context)
                        .contains("the master among [localhost:9, localhost:10]", ".masterreplica"));
    }

    @Test
    void findsTheMasterAmongTheStaticNodesOfAConnectionFactory() {
        RedisStaticMasterReplicaConfiguration nodes = new RedisStaticMasterReplicaConfiguration("localhost", 9);
        nodes.addNode("localhost", 10);
        locks.withBean(RedisConnectionFactory.class, () -> new LettuceConnectionFactory(nodes))
                .run(context -> assertThatReport(context).contains("the master among [localhost:9, localhost:10]"));
    }

    @Test
    void usesAConnectionFactoryThatIsNoBean() {
        RedisStandaloneConfiguration server = new RedisStandaloneConfiguration("localhost", 9);
        locks.withBean(RedisConnectionFactory.class, () -> new LettuceConnectionFactory(server))
                .run(context -> assertThatReport(context).contains("Could not connect to Redis at localhost:9"));
    }

    @Test
    void failsWithoutLettuceOnTheClassPath() {
        locks.withClassLoader(new FilteredClassLoader("io.lettuce")).run(context -> assertThatReport(context)
                .contains("Lettuce is not on the class path")
                .contains("io.lettuce:lettuce-core", "client-type=jedis"));
    }

    @Test
    void failsWhenRedisIsUnreachable() {
        application.withPropertyValues(NOBODY).run(context -> assertThatReport(context)
                .contains("Could not connect to Redis at localhost:9", "refused")
                .contains("spring.data.redis.host", "distributed-lock.redis.required-at-start=false"));
    }

    @Test
    void startsWithoutRedisWhenItIsNotRequired(CapturedOutput output) {
        application
                .withPropertyValues(NOBODY, "distributed-lock.redis.required-at-start=false")
                .run(context -> assertThat(context).hasNotFailed().hasSingleBean(RedisLockBackend.class));
        assertThat(output).contains("WARN").containsOnlyOnce("Could not connect to Redis at localhost:9");
    }

    @Test
    void warnsAboutADeposedMasterEvenWhenNoSentinelIsReachable(CapturedOutput output) {
        application
                .withPropertyValues(
                        "spring.data.redis.sentinel.master=locks",
                        "spring.data.redis.sentinel.nodes=localhost:9",
                        "distributed-lock.redis.required-at-start=false")
                .run(context -> assertThat(context).hasNotFailed());
        assertThat(output).containsOnlyOnce("distributed-lock.redis.deposed-master-writes is 0s");
    }

    @Test
    void namesThePropertyOfAnInvalidPrefix() {
        application
                .withPropertyValues(NOBODY, "distributed-lock.key-prefix=a{b}")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining("distributed-lock.key-prefix 'a{b}'"));
    }

    @Test
    void createsNothingWithoutTheAutoConfigurationOfTheLocks() {
        new ApplicationContextRunner()
                .withConfiguration(
                        AutoConfigurations.of(RedisLockAutoConfiguration.class, DataRedisAutoConfiguration.class))
                .withPropertyValues(NOBODY)
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(LockBackend.class));
    }

    @Test
    void startFailsForAnUnknownProperty() {
        String name = "distributed-lock.redis.command-timeouts";
        FailureReport.assertThat(application.withPropertyValues("distributed-lock.backend=local", name + "=1s"))
                .contains(name + " does not exist", "there are: ");
    }

    @Test
    void backsOffWhenAnotherBackendIsChosen() {
        application
                .withBean(LockBackend.class, LocalLockBackend::new)
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(RedisLockBackend.class));
    }

    @Test
    void createsNoClientWithTheLocalBackend() {
        application
                .withPropertyValues("distributed-lock.backend=local")
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(RedisLockBackend.class));
    }

    @Test
    void createsNoClientWhenLocksAreDisabled() {
        application.withPropertyValues("distributed-lock.enabled=false").run(context -> assertThat(context)
                .doesNotHaveBean(RedisLockBackend.class));
    }

    private static AbstractStringAssert<?> assertThatReport(AssertableApplicationContext context) {
        assertThat(context).hasFailed();
        return assertThat(FailureReport.of(context.getStartupFailure()));
    }

    @Configuration(proxyBeanMethods = false)
    static class Sessions {

        @Bean
        LettuceConnectionFactory sessionConnectionFactory() {
            return new LettuceConnectionFactory("localhost", 9);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Marked {

        @Bean
        @DistributedLockRedisConnectionFactory
        LettuceConnectionFactory lockConnectionFactory() {
            return new LettuceConnectionFactory("localhost", 10);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class AlsoMarked {

        @Bean
        @DistributedLockRedisConnectionFactory
        LettuceConnectionFactory secondLockConnectionFactory() {
            return new LettuceConnectionFactory("localhost", 11);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class MarkedForLocksOnly {

        @Bean(defaultCandidate = false)
        @DistributedLockRedisConnectionFactory
        LettuceConnectionFactory lockConnectionFactory() {
            return new LettuceConnectionFactory("localhost", 10);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class MarkedOfAnotherClient {

        @Bean
        @DistributedLockRedisConnectionFactory
        RedisConnectionFactory lockConnectionFactory() {
            return mock(RedisConnectionFactory.class);
        }
    }
}
