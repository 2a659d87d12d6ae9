package io.github.lockstarter.autoconfigure.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.autoconfigure.DistributedLockAutoConfiguration;
import io.github.lockstarter.autoconfigure.LockSettings;
import io.github.lockstarter.autoconfigure.testing.FailureReport;
import io.github.lockstarter.redis.settings.RedisSettings;
import io.github.lockstarter.redis.settings.RedisSettings.Durability;
import io.github.lockstarter.redis.settings.RedisSettings.FirstUse;
import io.github.lockstarter.redis.settings.RedisSettings.KeyLayout;
import io.github.lockstarter.redis.settings.RedisSettings.SingleMaster;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.TimeoutOptions;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** The configuration of Redis. It is checked wherever the locks are kept. */
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
                        "distributed-lock.redis.deposed-master-writes=3s",
                        "distributed-lock.redis.active-active=false",
                        "distributed-lock.redis.key-layout=cluster")
                .run(context -> {
                    RedisLockProperties properties = context.getBean(RedisLockProperties.class);
                    assertThat(properties)
                            .isEqualTo(new RedisLockProperties(
                                    Duration.ofMillis(500),
                                    false,
                                    Duration.ofMinutes(3),
                                    Duration.ofSeconds(3),
                                    false,
                                    KeyLayout.CLUSTER,
                                    false));
                    assertThat(properties.settings(context.getBean(LockSettings.class)))
                            .isEqualTo(new RedisSettings(
                                    "shop:",
                                    Duration.ofMillis(500),
                                    new RedisSettings.HistoryGuard(
                                            Duration.ofMinutes(3), FirstUse.GRANT, Duration.ofSeconds(3)),
                                    SingleMaster.DECLARED,
                                    KeyLayout.CLUSTER));
                });
    }

    @Test
    void bindTheDeclarationOfADurableStore() {
        application.withPropertyValues("distributed-lock.redis.durable=true").run(context -> assertThat(
                        context.getBean(RedisLockProperties.class)
                                .settings(context.getBean(LockSettings.class))
                                .guard())
                .isEqualTo(new RedisSettings.HistoryGuard(
                        Duration.ofSeconds(30), FirstUse.GRANT, Duration.ZERO, Durability.DECLARED)));
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
            distributed-lock.redis.durable=true distributed-lock.redis.grace-period=0s | distributed-lock.redis.durable is true, and grace-period is 0s
            distributed-lock.redis.durable=true distributed-lock.redis.deposed-master-writes=1s | distributed-lock.redis.durable is true, and deposed-master-writes is 1s
            distributed-lock.redis.active-active=true     | distributed-lock.redis.active-active is true: each of several masters grants the same lock
            distributed-lock.key-prefix=a{b}              | distributed-lock.key-prefix 'a{b}' has a brace
            distributed-lock.backend=zookeeper            | and the application has no such store; it has [local, redis]
            distributed-lock.backend=redlock              | The store 'redlock' needs the dependency io.github.lockstarter:lock-starter-redlock, which is not on the class path
            """)
    void failTheStartWithTheProblem(String setting, String message) {
        FailureReport.assertThat(application.withPropertyValues(setting.split(" ")))
                .contains("distributed-lock")
                .contains(message);
    }

    /** Lettuce 7 of this Boot adds 10 s to them while a managed service announces maintenance. */
    @Test
    void keepTheCommandTimeoutDuringMaintenance() {
        TimeoutOptions timeouts =
                RedisSettings.DEFAULTS.tune(ClientOptions.create()).getTimeoutOptions();
        assertThat(TimeoutOptions.create().getRelaxedTimeout()).isPositive();
        assertThat(timeouts.getRelaxedTimeout()).isNegative();
    }
}
