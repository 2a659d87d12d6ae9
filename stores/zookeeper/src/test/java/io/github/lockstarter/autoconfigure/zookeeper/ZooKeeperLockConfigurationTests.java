package io.github.lockstarter.autoconfigure.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.LockMode;
import io.github.lockstarter.aop.LockStartException;
import io.github.lockstarter.autoconfigure.DistributedLockAutoConfiguration;
import io.github.lockstarter.autoconfigure.LockSettings;
import io.github.lockstarter.spi.LockBackend;
import io.github.lockstarter.zookeeper.ZooKeeperLockBackend;
import io.github.lockstarter.zookeeper.ZooKeeperLockSettings;
import java.time.Duration;
import org.apache.curator.framework.CuratorFramework;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Configuration, and rejected configuration, without a server. */
class ZooKeeperLockConfigurationTests {

    /** A port that nothing listens to. */
    private static final String NOWHERE = "distributed-lock.zookeeper.connect-string=127.0.0.1:1";

    private final ApplicationContextRunner locks = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    DistributedLockAutoConfiguration.class, ZooKeeperLockAutoConfiguration.class));

    private final ApplicationContextRunner elsewhere = locks.withPropertyValues("distributed-lock.backend=local");

    private final ApplicationContextRunner inZooKeeper =
            locks.withPropertyValues("distributed-lock.backend=zookeeper", NOWHERE);

    static class Ticking {
        @DistributedLock(name = "tick", leaseMs = 10_000, minHoldMs = 5_000)
        public void tick() {}
    }

    static class Shipping {
        @DistributedLock(name = "ship")
        public void ship() {}
    }

    @Test
    void bindsEveryValue() {
        elsewhere
                .withPropertyValues(
                        "distributed-lock.key-prefix=shop:",
                        "distributed-lock.zookeeper.connect-string=zoo1:2181,zoo2:2181/apps",
                        "distributed-lock.zookeeper.session-timeout=20s",
                        "distributed-lock.zookeeper.connection-timeout=3s",
                        "distributed-lock.zookeeper.command-timeout=500ms",
                        "distributed-lock.zookeeper.root=/shop",
                        "distributed-lock.zookeeper.required-at-start=false")
                .run(context -> {
                    ZooKeeperLockProperties properties = context.getBean(ZooKeeperLockProperties.class);
                    assertThat(properties)
                            .isEqualTo(new ZooKeeperLockProperties(
                                    "zoo1:2181,zoo2:2181/apps",
                                    Duration.ofSeconds(20),
                                    Duration.ofSeconds(3),
                                    Duration.ofMillis(500),
                                    "/shop",
                                    false));
                    assertThat(properties.settings(context.getBean(LockSettings.class)))
                            .isEqualTo(new ZooKeeperLockSettings(
                                    "/shop", "shop:", Duration.ofMillis(500), Duration.ofSeconds(20)));
                });
    }

    @ParameterizedTest
    @CsvSource({
        "connect-string, ' ', connect-string is empty",
        "session-timeout, 999ms, session-timeout is 999ms; it must be between 1s and 600s",
        "session-timeout, 11m, session-timeout is 660s",
        "connection-timeout, 99ms, connection-timeout is 99ms",
        "command-timeout, 61s, command-timeout is 61s",
        "root, locks, root: 'locks' is no path",
        "root, /, root: '/' is no path",
        "root, /a/../b, root: '/a/../b' is no path"
    })
    void refusesAnInvalidValueWhateverTheStore(String property, String value, String problem) {
        elsewhere
                .withPropertyValues("distributed-lock.zookeeper." + property + "=" + value)
                .run(context ->
                        assertThat(context).getFailure().hasMessageContaining("distributed-lock.zookeeper." + problem));
    }

    @Test
    void refusesAnUnknownPropertyWhateverTheStore() {
        elsewhere.withPropertyValues("distributed-lock.zookeeper.roots=/shop").run(context -> assertThat(context)
                .getFailure()
                .rootCause()
                .hasMessageContaining("distributed-lock.zookeeper.roots"));
    }

    @Test
    void isAbsentWhenAnotherStoreIsChosen() {
        elsewhere.run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(ZooKeeperLockBackend.class));
    }

    /** Otherwise the locks would be on a server that nobody has named. */
    @Test
    void startFailsWithTwoClientsOfTheApplicationAndNoConnectString() {
        withTwoClients(locks.withPropertyValues("distributed-lock.backend=zookeeper"))
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .isInstanceOf(NoUniqueBeanDefinitionException.class)
                        .hasMessageContaining("orders,stock"));
    }

    @Test
    void usesTheConnectStringBesideTwoClientsOfTheApplication() {
        withTwoClients(inZooKeeper)
                .withPropertyValues("distributed-lock.zookeeper.required-at-start=false")
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .getBean(ZooKeeperLockBackend.class)
                        .hasToString("ZooKeeper (127.0.0.1:1/lock-starter/locks)"));
    }

    private static ApplicationContextRunner withTwoClients(ApplicationContextRunner application) {
        return application
                .withBean("orders", CuratorFramework.class, () -> mock(CuratorFramework.class))
                .withBean("stock", CuratorFramework.class, () -> mock(CuratorFramework.class));
    }

    @Test
    void startFailsWhenNoServerAnswers() {
        inZooKeeper
                .withPropertyValues("distributed-lock.zookeeper.connection-timeout=200ms")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .isInstanceOf(LockStartException.class)
                        .hasMessage("ZooKeeper (127.0.0.1:1/lock-starter/locks) did not answer within 200ms"));
    }

    @Test
    void startsWithoutAServerWhenNoneIsRequired() {
        inZooKeeper
                .withPropertyValues(
                        "distributed-lock.zookeeper.connection-timeout=200ms",
                        "distributed-lock.zookeeper.required-at-start=false")
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .getBean(LockBackend.class)
                        .isInstanceOf(ZooKeeperLockBackend.class));
    }

    @Test
    void refusesAMinimumHold() {
        inZooKeeper
                .withBean(Ticking.class)
                .withPropertyValues("distributed-lock.zookeeper.required-at-start=false")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessageContaining("ZooKeeper keeps no lock for a minimum hold"));
    }

    static class Catalog {
        @DistributedLock(name = "catalog", mode = LockMode.READ)
        public void browse() {}
    }

    @Test
    void refusesALockThatIsRead() {
        inZooKeeper
                .withBean(Catalog.class)
                .withPropertyValues("distributed-lock.zookeeper.required-at-start=false")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessageEndingWith("Lock 'catalog' is read (mode READ), and the store 'zookeeper' has no"
                                + " locks for readers."));
    }

    @Test
    void refusesAConfiguredMinimumHold() {
        inZooKeeper
                .withBean(Shipping.class)
                .withPropertyValues(
                        "distributed-lock.zookeeper.required-at-start=false", "distributed-lock.locks.ship.min-hold=5s")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessageContaining("ZooKeeper keeps no lock for a minimum hold"));
    }
}
