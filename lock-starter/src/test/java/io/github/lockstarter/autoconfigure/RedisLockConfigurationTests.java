package io.github.lockstarter.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

import io.github.lockstarter.local.LocalLockBackend;
import io.github.lockstarter.redis.RedisLockBackend;
import io.github.lockstarter.spi.LockBackend;
import org.assertj.core.api.AbstractStringAssert;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.RedisStaticMasterReplicaConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

@ExtendWith(OutputCaptureExtension.class)
class RedisLockConfigurationTests {

    /** Nothing ever listens on the discard port of a build machine. */
    private static final String NOBODY = "spring.data.redis.port=9";

    private final ApplicationContextRunner locks = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(DistributedLockAutoConfiguration.class));

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
    void failsWithAConnectionFactoryThatIsNotLettuces() {
        locks.withBean(RedisConnectionFactory.class, () -> mock(RedisConnectionFactory.class))
                .run(context -> assertThatReport(context)
                        .contains("Locks need Lettuce")
                        .contains("spring.data.redis.client-type=lettuce"));
    }

    @Test
    void failsWithSeveralConnectionFactories() {
        locks.withBean("one", RedisConnectionFactory.class, () -> mock(RedisConnectionFactory.class))
                .withBean("two", RedisConnectionFactory.class, () -> mock(RedisConnectionFactory.class))
                .run(context -> assertThatReport(context)
                        .contains("several RedisConnectionFactory")
                        .contains("@Primary"));
    }

    @Test
    void looksForTheNodesOfACluster() {
        application
                .withPropertyValues("spring.data.redis.cluster.nodes=localhost:9")
                .run(context -> assertThatReport(context).contains("the cluster of [localhost:9]", ".cluster"));
    }

    @Test
    void looksForTheMasterAmongStaticNodes() {
        application
                .withPropertyValues("spring.data.redis.masterreplica.nodes=localhost:9,localhost:10")
                .run(context -> assertThatReport(context)
                        .contains("the master among [localhost:9, localhost:10]", ".masterreplica"));
    }

    @Test
    void looksForTheMasterAmongTheStaticNodesOfAConnectionFactory() {
        RedisStaticMasterReplicaConfiguration nodes = new RedisStaticMasterReplicaConfiguration("localhost", 9);
        nodes.addNode("localhost", 10);
        locks.withBean(RedisConnectionFactory.class, () -> new LettuceConnectionFactory(nodes))
                .run(context -> assertThatReport(context).contains("the master among [localhost:9, localhost:10]"));
    }

    @Test
    void takesAConnectionFactoryThatWasMadeByHand() {
        RedisStandaloneConfiguration server = new RedisStandaloneConfiguration("localhost", 9);
        locks.withBean(RedisConnectionFactory.class, () -> new LettuceConnectionFactory(server))
                .run(context -> assertThatReport(context).contains("Could not connect to Redis at localhost:9"));
    }

    @Test
    void failsWithoutLettuceOnTheClassPath() {
        locks.withClassLoader(new FilteredClassLoader("io.lettuce")).run(context -> assertThatReport(context)
                .contains("Lettuce is not on the class path")
                .contains("lettuce-core"));
    }

    @Test
    void failsWhenRedisIsNotThere() {
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
    void warnsOfADeposedMasterAlsoWhereSentinelsAreNotThere(CapturedOutput output) {
        application
                .withPropertyValues(
                        "spring.data.redis.sentinel.master=locks",
                        "spring.data.redis.sentinel.nodes=localhost:9",
                        "distributed-lock.redis.required-at-start=false")
                .run(context -> assertThat(context).hasNotFailed());
        assertThat(output).containsOnlyOnce("distributed-lock.redis.deposed-master-writes is 0s");
    }

    @Test
    void namesThePropertyOfABadPrefix() {
        application
                .withPropertyValues(NOBODY, "distributed-lock.key-prefix=a{b}")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining("distributed-lock.key-prefix 'a{b}'"));
    }

    @Test
    void leavesAnotherBackendAlone() {
        application
                .withBean(LockBackend.class, LocalLockBackend::new)
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(RedisLockBackend.class));
    }

    @Test
    void needsNoRedisWithTheLocalBackend() {
        application
                .withPropertyValues("distributed-lock.backend=local")
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(RedisLockBackend.class));
    }

    @Test
    void needsNoRedisWhenLocksAreSwitchedOff() {
        application.withPropertyValues("distributed-lock.enabled=false").run(context -> assertThat(context)
                .doesNotHaveBean(RedisLockBackend.class));
    }

    private static AbstractStringAssert<?> assertThatReport(AssertableApplicationContext context) {
        assertThat(context).hasFailed();
        return assertThat(FailureReport.of(context.getStartupFailure()));
    }
}
