package io.github.lockstarter.autoconfigure.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.LockMode;
import io.github.lockstarter.autoconfigure.DistributedLockAutoConfiguration;
import io.github.lockstarter.autoconfigure.LockSettings;
import io.github.lockstarter.autoconfigure.StoreCheck;
import io.github.lockstarter.autoconfigure.testing.FailureReport;
import io.github.lockstarter.etcd.EtcdCredentials;
import io.github.lockstarter.etcd.EtcdLockBackend;
import io.github.lockstarter.etcd.EtcdSettings;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** The configuration of etcd. It is checked wherever the locks are kept. */
class EtcdLockPropertiesTests {

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(
                    AutoConfigurations.of(DistributedLockAutoConfiguration.class, EtcdLockAutoConfiguration.class))
            .withPropertyValues("distributed-lock.backend=local");

    @Test
    void defaultToTheServerOnLocalhost() {
        application.run(context -> {
            EtcdLockProperties properties = context.getBean(EtcdLockProperties.class);
            assertThat(properties.requiredAtStart()).isTrue();
            assertThat(properties.settings(context.getBean(LockSettings.class), Optional.empty()))
                    .isEqualTo(new EtcdSettings(
                            context.getBean(LockSettings.class).keyPrefix(),
                            List.of(URI.create("http://localhost:2379")),
                            Optional.empty(),
                            Optional.empty(),
                            Duration.ofSeconds(2)));
            assertThat(context).doesNotHaveBean(EtcdLockBackend.class).doesNotHaveBean(StoreCheck.class);
        });
    }

    @Test
    void bindEveryValueAndShowNoPassword() {
        application
                .withPropertyValues(
                        "distributed-lock.key-prefix=shop:",
                        "distributed-lock.etcd.endpoints=http://a:2379, https://b:2479/",
                        "distributed-lock.etcd.user=locks",
                        "distributed-lock.etcd.password=secret",
                        "distributed-lock.etcd.command-timeout=500ms",
                        "distributed-lock.etcd.required-at-start=false")
                .run(context -> {
                    EtcdLockProperties properties = context.getBean(EtcdLockProperties.class);
                    EtcdSettings settings = properties.settings(context.getBean(LockSettings.class), Optional.empty());
                    assertThat(settings)
                            .isEqualTo(new EtcdSettings(
                                    "shop:",
                                    List.of(URI.create("http://a:2379"), URI.create("https://b:2479")),
                                    Optional.of(new EtcdCredentials("locks", "secret")),
                                    Optional.empty(),
                                    Duration.ofMillis(500)));
                    assertThat(properties.requiredAtStart()).isFalse();
                    assertThat(properties + " " + settings).doesNotContain("secret");
                });
    }

    static class Catalog {
        @DistributedLock(name = "catalog", mode = LockMode.READ)
        public void browse() {}
    }

    @Test
    void refuseALockThatIsRead() {
        application
                .withBean(Catalog.class)
                .withPropertyValues("distributed-lock.backend=etcd", "distributed-lock.etcd.required-at-start=false")
                .run(context -> assertThat(FailureReport.of(context.getStartupFailure()))
                        .contains("Lock 'catalog' is read (mode READ), and the store 'etcd' has no locks for readers.")
                        .contains("Leave the mode out, or keep the lock in another store"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "etcd.command-timeout=99ms | distributed-lock.etcd.command-timeout is 99ms",
                "etcd.command-timeout=61s | between 100ms and 60s",
                "etcd.endpoints= | distributed-lock.etcd.endpoints is empty",
                "etcd.endpoints=localhost:2379 | 'localhost:2379'",
                "etcd.endpoints=http://localhost | http://host:port",
                "etcd.endpoints=http://localhost:2379/v3 | http://host:port",
                "etcd.endpoints=http://a:1,http://a:1 | twice",
                "etcd.users=locks | distributed-lock.etcd.users does not exist",
                "etcd.user=locks | only the user is set",
                "etcd.password=secret | only the password is set"
            })
    void failTheStartWithTheNameOfTheWrongProperty(String property, String message) {
        FailureReport.assertThat(application.withPropertyValues("distributed-lock." + property))
                .contains(message);
    }

    @Test
    void failTheStartForAPasswordInAUrlWithoutShowingIt() {
        FailureReport.assertThat(application.withPropertyValues(
                        "distributed-lock.etcd.endpoints=http://root:secret@localhost:2379"))
                .contains("distributed-lock.etcd.endpoints")
                .doesNotContain("secret");
    }

    @ParameterizedTest
    @CsvSource({
        "distributed-lock.backend=etcd, distributed-lock.lease=1999ms, distributed-lock.lease",
        "distributed-lock.backend=etcd, distributed-lock.locks.jobs.lease=1s, distributed-lock.locks.jobs.lease"
    })
    void failTheStartForALeaseThatEtcdDoesNotKeep(String where, String lease, String message) {
        FailureReport.assertThat(application.withPropertyValues(where, lease))
                .contains(message, "etcd keeps no lease below 2s");
    }
}
