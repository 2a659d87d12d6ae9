package io.github.lockstarter.autoconfigure.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.autoconfigure.DistributedLockAutoConfiguration;
import io.github.lockstarter.autoconfigure.LockSettings;
import io.github.lockstarter.autoconfigure.testing.FailureReport;
import io.github.lockstarter.redis.settings.RedisSettings;
import io.github.lockstarter.redis.settings.RedisSettings.FirstUse;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** The configuration of Redis and Redlock. It is checked wherever the locks are kept. */
class RedisLockPropertiesTests {

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(
                    AutoConfigurations.of(DistributedLockAutoConfiguration.class, RedisLockAutoConfiguration.class))
            .withPropertyValues("distributed-lock.backend=local");

    @Test
    void haveTheDefaultsOfTheBackendWhenNothingIsConfigured() {
        application.run(context -> {
            RedisLockProperties properties = context.getBean(RedisLockProperties.class);
            assertThat(properties.commandTimeout()).isEqualTo(Duration.ofSeconds(2));
            assertThat(properties.requiredAtStart()).isTrue();
            assertThat(properties.settings(context.getBean(LockSettings.class))).isEqualTo(RedisSettings.DEFAULTS);
        });
    }

    @Test
    void bindEveryValue() {
        application
                .withPropertyValues(
                        "distributed-lock.key-prefix=shop:",
                        "distributed-lock.lease=10s",
                        "distributed-lock.max-lease=2m",
                        "distributed-lock.redis.command-timeout=500ms",
                        "distributed-lock.redis.required-at-start=false",
                        "distributed-lock.redis.grace-period=3m",
                        "distributed-lock.redis.deposed-master-writes=3s")
                .run(context -> {
                    RedisLockProperties properties = context.getBean(RedisLockProperties.class);
                    assertThat(properties)
                            .isEqualTo(new RedisLockProperties(
                                    Duration.ofMillis(500), false, Duration.ofMinutes(3), Duration.ofSeconds(3)));
                    assertThat(properties.settings(context.getBean(LockSettings.class)))
                            .isEqualTo(new RedisSettings(
                                    "shop:",
                                    Duration.ofMillis(500),
                                    new RedisSettings.Guard(
                                            Duration.ofMinutes(3), FirstUse.GRANT, Duration.ofSeconds(3))));
                });
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
            distributed-lock.redis.command-timeout=0      | distributed-lock.redis.command-timeout is 0ms
            distributed-lock.redis.command-timeout=99ms   | distributed-lock.redis.command-timeout is 99ms; it must be between 100ms and 60s
            distributed-lock.redis.command-timeout=2m     | distributed-lock.redis.command-timeout is 120s
            distributed-lock.redis.deposed-master-writes=11s | distributed-lock.redis.deposed-master-writes is 11s; it must be between 0ms and a third of every lease (30s)
            distributed-lock.redis.deposed-master-writes=-1s | distributed-lock.redis.deposed-master-writes is -1s
            distributed-lock.redis.grace-period=29s       | distributed-lock.redis.grace-period is 29s; it must be 0s, or at least distributed-lock.max-lease (30s)
            distributed-lock.redis.grace-period=-1s       | distributed-lock.redis.grace-period is -1s
            distributed-lock.key-prefix=a{b}              | distributed-lock.key-prefix 'a{b}' has a brace
            distributed-lock.backend=redlock              | distributed-lock.redlock.nodes has 0 addresses; a quorum needs 3 servers or more
            distributed-lock.backend=redis distributed-lock.further-backends=redlock | distributed-lock.redlock.nodes has 0 addresses
            distributed-lock.backend=redis distributed-lock.redlock.nodes=a:1,b:2,c:3 | distributed-lock.redlock.nodes is set, and no lock is kept there
            distributed-lock.redlock.nodes=a:1,b:2,A:1    | distributed-lock.redlock.nodes has a:1 twice
            distributed-lock.redlock.nodes=a,redis://u:pw@a:6379/3 | distributed-lock.redlock.nodes has a:6379 twice
            distributed-lock.redlock.nodes=redis://u:pw@h:1:2 | distributed-lock.redlock.nodes has 'h:1:2' (a login is not shown here), which is not a server address
            distributed-lock.redlock.nodes=redis://u:12/pw@h:1 | distributed-lock.redlock.nodes has 'h:1' (a login is not shown here), which is not a server address
            distributed-lock.redlock.nodes=redis://u:12?pw@h:1 | distributed-lock.redlock.nodes has 'h:1' (a login is not shown here), which is not a server address
            distributed-lock.redlock.nodes=redis://h:1/x | distributed-lock.redlock.nodes has 'redis://h...' (a login is not shown here), which is not a server address
            distributed-lock.redlock.nodes=redis://u:pw  | distributed-lock.redlock.nodes has 'redis://u...' (a login is not shown here), which is not a server address
            distributed-lock.redlock.nodes=redis://u:12/pw | distributed-lock.redlock.nodes has 'redis://u...' (a login is not shown here), which is not a server address
            distributed-lock.redlock.nodes=u:pw          | distributed-lock.redlock.nodes has 'u...' (a login is not shown here), which is not a server address
            distributed-lock.redlock.nodes=redis-sentinel://h | 'redis-sentinel://h' (a login is not shown here), which is not a server address
            distributed-lock.backend=zookeeper            | and the application has no such store; it has [local, redis, redlock]
            """)
    void failTheStartWithTheProblem(String setting, String message) {
        application.withPropertyValues(setting.split(" ")).run(context -> assertThat(
                        FailureReport.of(context.getStartupFailure()))
                .contains("distributed-lock")
                .contains(message));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
            distributed-lock.redlock.node-timeout=8s      | distributed-lock.redlock.node-timeout is 8s, above a quarter of distributed-lock.lease (30s)
            distributed-lock.redlock.node-timeout=99ms    | distributed-lock.redlock.node-timeout is 99ms; it must be between 100ms and 60s
            distributed-lock.locks.ship.lease=1s          | distributed-lock.redlock.node-timeout is 500ms, above a quarter of distributed-lock.locks.ship.lease (1s)
            distributed-lock.redlock.ssl-bundle=b         | has redis://a:1, which is without TLS, and distributed-lock.redlock.ssl-bundle is set
            distributed-lock.redlock.nodes=a:1,b:2        | distributed-lock.redlock.nodes has 2 addresses
            """)
    void failTheStartWithTheProblemOfAQuorum(String setting, String message) {
        application
                .withPropertyValues(
                        "distributed-lock.backend=redlock", "distributed-lock.redlock.nodes=redis://u:pw@a:1,b:2,c:3")
                .withPropertyValues(setting)
                .run(context -> assertThat(FailureReport.of(context.getStartupFailure()))
                        .contains("distributed-lock")
                        .contains(message));
    }

    @Test
    void neverShowPasswords() {
        application
                .withPropertyValues(
                        "distributed-lock.redlock.nodes=redis://u:s3cret@a:1,b:2,c:3",
                        "distributed-lock.redlock.password=s3cret")
                .run(context -> assertThat(
                                context.getBean(RedlockProperties.class).toString())
                        .contains("Redlock[3 nodes]")
                        .doesNotContain("s3cret"));
    }
}
