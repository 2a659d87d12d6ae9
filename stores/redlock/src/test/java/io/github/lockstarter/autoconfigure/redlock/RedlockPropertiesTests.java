package io.github.lockstarter.autoconfigure.redlock;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.LockMode;
import io.github.lockstarter.autoconfigure.DistributedLockAutoConfiguration;
import io.github.lockstarter.autoconfigure.LockBackendOption;
import io.github.lockstarter.autoconfigure.testing.FailureReport;
import io.github.lockstarter.spi.LockBackend;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** The configuration of Redlock. It is checked wherever the locks are kept. */
class RedlockPropertiesTests {

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(
                    AutoConfigurations.of(DistributedLockAutoConfiguration.class, RedlockAutoConfiguration.class))
            .withPropertyValues("distributed-lock.backend=local");

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
            distributed-lock.backend=redlock              | distributed-lock.redlock.nodes has 0 addresses; a quorum needs 3 servers or more
            distributed-lock.backend=acme distributed-lock.further-backends=redlock | distributed-lock.redlock.nodes has 0 addresses
            distributed-lock.backend=acme distributed-lock.redlock.nodes=a:1,b:2,c:3 | distributed-lock.redlock.nodes is set, and no lock is kept there
            distributed-lock.redlock.nodes=a:1,b:2,A:1    | distributed-lock.redlock.nodes has a:1 twice
            distributed-lock.redlock.nodes=a,redis://u:pw@a:6379/3 | distributed-lock.redlock.nodes has a:6379 twice
            distributed-lock.redlock.nodes=redis://u:pw@h:1:2 | distributed-lock.redlock.nodes has 'h:1:2' (a login is not shown here), which is not a server address
            distributed-lock.redlock.nodes=redis://u:12/pw@h:1 | distributed-lock.redlock.nodes has 'h:1' (a login is not shown here), which is not a server address
            distributed-lock.redlock.nodes=redis://u:12?pw@h:1 | distributed-lock.redlock.nodes has 'h:1' (a login is not shown here), which is not a server address
            distributed-lock.redlock.nodes=redis://h:1/x | distributed-lock.redlock.nodes has 'redis://h...' (a login is not shown here), which is not a server address
            distributed-lock.redlock.nodes=redis://u:pw  | distributed-lock.redlock.nodes has 'redis://u...' (a login is not shown here), which is not a server address
            distributed-lock.redlock.nodes=redis://u:12/pw | distributed-lock.redlock.nodes has 'redis://u...' (a login is not shown here), which is not a server address
            distributed-lock.redlock.nodes=u:pw          | distributed-lock.redlock.nodes has 'u...' (a login is not shown here), which is not a server address
            distributed-lock.redlock.node=1s              | distributed-lock.redlock.node does not exist
            distributed-lock.redlock.nodes=redis-sentinel://h | 'redis-sentinel://h' (a login is not shown here), which is not a server address
            """)
    void failTheStartWithTheProblem(String setting, String message) {
        application
                .withBean(LockBackendOption.class, () -> () -> "acme")
                .withPropertyValues(setting.split(" "))
                .run(context -> assertThat(FailureReport.of(context.getStartupFailure()))
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

    static class Catalog {
        @DistributedLock(name = "catalog", mode = LockMode.READ)
        public void browse() {}
    }

    @Test
    void refuseALockThatIsRead() {
        application
                .withBean(Catalog.class)
                .withPropertyValues("distributed-lock.backend=redlock", "distributed-lock.redlock.nodes=a:1,b:2,c:3")
                .run(context -> assertThat(FailureReport.of(context.getStartupFailure()))
                        .contains(
                                "Lock 'catalog' is read (mode READ), and the store 'redlock' has no locks for readers.")
                        .contains("Leave the mode out, or keep the lock in another store"));
    }

    /** The class path of this module has no other store. */
    @Test
    void areUsedByDefaultWithoutAnotherStoreModule() {
        application.withPropertyValues("distributed-lock.backend=").run(context -> assertThat(
                        FailureReport.of(context.getStartupFailure()))
                .contains("distributed-lock.redlock.nodes has 0 addresses"));
    }

    @Test
    void createNothingWithoutTheAutoConfigurationOfTheLocks() {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(RedlockAutoConfiguration.class))
                .withPropertyValues("distributed-lock.backend=redlock")
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(LockBackend.class));
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
