package io.github.lockstarter.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.OnLost;
import io.github.lockstarter.engine.settings.EngineSettings;
import io.github.lockstarter.redis.settings.RedisSettings;
import io.github.lockstarter.redis.settings.RedisSettings.FirstUse;
import io.github.lockstarter.redis.settings.RedisSettings.OnHistoryChange;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.Ordered;

class DistributedLockPropertiesTests {

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(DistributedLockAutoConfiguration.class))
            .withPropertyValues("distributed-lock.backend=local");

    @Test
    void areTheEnginesDefaultsWhenNothingIsConfigured() {
        application.run(context -> {
            DistributedLockProperties properties = context.getBean(DistributedLockProperties.class);
            assertThat(properties.engineSettings()).isEqualTo(EngineSettings.DEFAULTS);
            assertThat(properties.enabled()).isTrue();
            assertThat(properties.keyPrefix()).isEqualTo("lock:");
            assertThat(properties.onLost()).isEqualTo(OnLost.THROW);
            assertThat(properties.order()).isEqualTo(Ordered.LOWEST_PRECEDENCE - 1000);
            assertThat(properties.redis().commandTimeout()).isEqualTo(Duration.ofSeconds(2));
            assertThat(properties.redis().requiredAtStart()).isTrue();
            assertThat(properties.redisSettings()).isEqualTo(RedisSettings.DEFAULTS);
        });
    }

    @Test
    void keepsNamesOfThreadsFromTheStoreIfThatIsWanted() {
        application.withPropertyValues("distributed-lock.show-owner=false").run(context -> assertThat(
                        context.getBean(DistributedLockProperties.class).engineSettings())
                .isEqualTo(EngineSettings.DEFAULTS.withoutOwner()));
    }

    @Test
    void bindEveryValue() {
        application
                .withPropertyValues(
                        "distributed-lock.key-prefix=shop:",
                        "distributed-lock.lease=10s",
                        "distributed-lock.max-lease=2m",
                        "distributed-lock.wait=0",
                        "distributed-lock.on-lost=return",
                        "distributed-lock.order=7",
                        "distributed-lock.retry.initial-delay=50ms",
                        "distributed-lock.retry.multiplier=1.5",
                        "distributed-lock.retry.max-delay=3s",
                        "distributed-lock.retry.jitter=0.5",
                        "distributed-lock.watchdog.enabled=false",
                        "distributed-lock.watchdog.max-hold=1h",
                        "distributed-lock.redis.command-timeout=500ms",
                        "distributed-lock.redis.required-at-start=false",
                        "distributed-lock.redis.on-history-change=none",
                        "distributed-lock.redis.first-use=grace",
                        "distributed-lock.redis.deposed-master-writes=3s",
                        "distributed-lock.redis.min-replicas=2",
                        "distributed-lock.locks.ship-order.lease=1m",
                        "distributed-lock.locks.ship-order.wait=1s",
                        "distributed-lock.locks.ship-order.renewal=true")
                .run(context -> {
                    DistributedLockProperties properties = context.getBean(DistributedLockProperties.class);
                    assertThat(properties.keyPrefix()).isEqualTo("shop:");
                    assertThat(properties.onLost()).isEqualTo(OnLost.RETURN);
                    assertThat(properties.order()).isEqualTo(7);
                    assertThat(properties.redis())
                            .isEqualTo(new DistributedLockProperties.Redis(
                                    Duration.ofMillis(500),
                                    false,
                                    OnHistoryChange.NONE,
                                    FirstUse.GRACE,
                                    Duration.ofSeconds(3),
                                    2));
                    assertThat(properties.redisSettings().minReplicas()).isEqualTo(2);
                    assertThat(properties.redisSettings().guard())
                            .isEqualTo(new RedisSettings.Guard(
                                    OnHistoryChange.NONE,
                                    FirstUse.GRACE,
                                    Duration.ofMinutes(2),
                                    Duration.ofSeconds(3)));
                    EngineSettings settings = properties.engineSettings();
                    assertThat(settings.lease()).isEqualTo(Duration.ofSeconds(10));
                    assertThat(settings.maxLease()).isEqualTo(Duration.ofMinutes(2));
                    assertThat(settings.maxWait()).isEqualTo(Duration.ZERO);
                    assertThat(settings.retry())
                            .isEqualTo(
                                    new EngineSettings.Retry(Duration.ofMillis(50), 1.5, Duration.ofSeconds(3), 0.5));
                    assertThat(settings.watchdog())
                            .isEqualTo(new EngineSettings.Watchdog(false, Optional.of(Duration.ofHours(1))));
                    assertThat(settings.locks())
                            .containsOnlyKeys("ship-order")
                            .containsValue(new EngineSettings.Overrides(
                                    Optional.of(Duration.ofMinutes(1)),
                                    Optional.of(Duration.ofSeconds(1)),
                                    Optional.of(true),
                                    Optional.empty()));
                });
    }

    @ParameterizedTest
    @CsvSource({"OrderService.ship", "Order_Service", "ship-order"})
    void keepNamesInBracketsAsTheyAreWritten(String name) {
        application
                .withPropertyValues("distributed-lock.locks.[" + name + "].lease=1s")
                .run(context -> assertThat(context.getBean(DistributedLockProperties.class)
                                .engineSettings()
                                .locks())
                        .containsOnlyKeys(name));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
            distributed-lock.lease=0                      | distributed-lock.lease is 0ms
            distributed-lock.lease=-1s                    | distributed-lock.lease is -1000ms
            distributed-lock.max-lease=10s                | distributed-lock.lease is 30000ms, above distributed-lock.max-lease (10000ms)
            distributed-lock.wait=-1ms                    | distributed-lock.wait is -1ms
            distributed-lock.lease=400d                   | distributed-lock.lease is 400d; it must be between 20ms and 365d
            distributed-lock.retry.initial-delay=0        | distributed-lock.retry.initial-delay is 0ms
            distributed-lock.retry.max-delay=10ms         | distributed-lock.retry.max-delay is 10ms
            distributed-lock.retry.multiplier=0.5         | distributed-lock.retry.multiplier is 0.5
            distributed-lock.retry.jitter=1.1             | distributed-lock.retry.jitter is 1.1
            distributed-lock.watchdog.max-hold=0          | distributed-lock.watchdog.max-hold is 0ms
            distributed-lock.locks.ship.lease=31s         | distributed-lock.locks.ship.lease is 31000ms, above distributed-lock.max-lease (30000ms)
            distributed-lock.locks.ship.wait=-1s          | distributed-lock.locks.ship.wait is -1000ms
            distributed-lock.redis.command-timeout=0      | distributed-lock.redis.command-timeout is 0ms
            distributed-lock.redis.command-timeout=99ms   | distributed-lock.redis.command-timeout is 99ms; it must be between 100ms and 60s
            distributed-lock.redis.command-timeout=2m     | distributed-lock.redis.command-timeout is 120000ms
            distributed-lock.redis.deposed-master-writes=11s | distributed-lock.redis.deposed-master-writes is 11000ms; it must be between 0ms and a third of every lease (30000ms)
            distributed-lock.redis.deposed-master-writes=-1s | distributed-lock.redis.deposed-master-writes is -1000ms
            distributed-lock.redis.min-replicas=-1        | distributed-lock.redis.min-replicas is -1; it must be between 0, which waits for no replica, and 16
            distributed-lock.redis.min-replicas=17        | distributed-lock.redis.min-replicas is 17
            distributed-lock.key-prefix=a{b}              | distributed-lock.key-prefix 'a{b}' has a brace
            distributed-lock.lease=soon                   | 'soon' is not a valid duration
            distributed-lock.backend=zookeeper            | No enum constant
            distributed-lock.backend=redlock              | distributed-lock.redlock.nodes has 0 addresses; a quorum needs 3 servers or more
            distributed-lock.backend=redis distributed-lock.locks.ship.backend=redlock | distributed-lock.redlock.nodes has 0 addresses
            distributed-lock.locks.ship.backend=local     | distributed-lock.locks.ship.backend is local, which is for tests and for all locks
            distributed-lock.backend=redis distributed-lock.redlock.nodes=a:1,b:2,c:3 | distributed-lock.redlock.nodes is set, and no lock is kept there
            distributed-lock.redlock.nodes=a:1,b:2,A:1    | distributed-lock.redlock.nodes has a:1 twice
            distributed-lock.redlock.nodes=a,redis://u:pw@a:6379/3 | distributed-lock.redlock.nodes has a:6379 twice
            distributed-lock.redlock.nodes=redis://u:pw@h:1:2 | distributed-lock.redlock.nodes has 'h:1:2' (a login is not shown here), which is not a server address
            distributed-lock.redlock.nodes=redis-sentinel://h | 'redis-sentinel://h' (a login is not shown here), which is not a server address
            distributed-lock.leaze=1s                     | does not know: distributed-lock.leaze
            distributed-lock.locks.OrderService.ship.lease=1s | stands in brackets: distributed-lock.locks.[OrderService.ship].lease
            """)
    void failTheStartWithWhatIsWrong(String setting, String message) {
        application.withPropertyValues(setting.split(" ")).run(context -> assertThat(
                        FailureReport.of(context.getStartupFailure()))
                .contains("distributed-lock")
                .contains(message));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
            distributed-lock.redlock.node-timeout=8s      | distributed-lock.redlock.node-timeout is 8000ms, above a quarter of distributed-lock.lease (30000ms)
            distributed-lock.redlock.node-timeout=99ms    | distributed-lock.redlock.node-timeout is 99ms; it must be between 100ms and 60s
            distributed-lock.locks.ship.lease=1s          | distributed-lock.redlock.node-timeout is 500ms, above a quarter of distributed-lock.locks.ship.lease (1000ms)
            distributed-lock.redlock.ssl-bundle=b         | has redis://a:1, which is without TLS, and distributed-lock.redlock.ssl-bundle is set
            distributed-lock.redlock.nodes=a:1,b:2        | distributed-lock.redlock.nodes has 2 addresses
            """)
    void failTheStartWithWhatIsWrongAboutAQuorum(String setting, String message) {
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
                        "distributed-lock.backend=local",
                        "distributed-lock.redlock.nodes=redis://u:s3cret@a:1,b:2,c:3",
                        "distributed-lock.redlock.password=s3cret")
                .run(context -> assertThat(
                                context.getBean(DistributedLockProperties.class).toString())
                        .contains("Redlock[3 nodes]")
                        .doesNotContain("s3cret"));
    }
}
