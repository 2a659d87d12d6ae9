package io.github.lockstarter.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.autoconfigure.testing.FailureReport;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.MutablePropertySources;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.core.io.ByteArrayResource;

/** Settings below {@code distributed-lock}, or a prefix that is mistaken for it, that no property takes. */
@ExtendWith(OutputCaptureExtension.class)
class UnknownPropertyTests {

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(
                    AutoConfigurations.of(DistributedLockAutoConfiguration.class, AcmeLockAutoConfiguration.class))
            .withPropertyValues("distributed-lock.backend=local");

    private ApplicationContextRunner with(EnumerablePropertySource<?> source) {
        return application.withInitializer(context -> {
            MutablePropertySources sources = context.getEnvironment().getPropertySources();
            if (sources.contains(source.getName())) {
                sources.replace(source.getName(), source);
            } else {
                sources.addLast(source);
            }
        });
    }

    private ApplicationContextRunner withVariable(String name, Object value) {
        return with(new SystemEnvironmentPropertySource(
                StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME, Map.of(name, value)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "distributed-lock.leaze",
                "distributed-lock.quota.most",
                "distributed-lock.retry.max-delays",
                "distributed-lock.locks.ship.leas",
                "distributed-lock.locks.orders.eu.lease",
                "distributed-lock.locks[Order.ship].leas",
                "distributed-lock.acme.command-timeout",
                "acme-lock.comand-timeout"
            })
    void failTheStartAndAreNamed(String name) {
        FailureReport.assertThat(application.withPropertyValues(name + "=1s"))
                .contains(
                        name + " does not exist; it is set by \"" + name + "\" from property source \"test\"",
                        "\n\nBelow ",
                        " there are: ");
    }

    /** The annotation's word, a list instead of a map, and the group of a store. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "distributed-lock.locks.order.maxWaitMs | Below distributed-lock.locks.order there are: crash-takeover,"
                        + " lease, max-hold, max-wait, min-hold, min-hold-if, on-lost, permits, release, renewal",
                "distributed-lock.locks[0].name | Below distributed-lock.locks[0] there are: crash-takeover,",
                "distributed-lock.retry.max-delays | Below distributed-lock.retry there are: max-delay",
                "distributed-lock.leaze | Below distributed-lock there are: backend, cache, crash-takeover,",
                "acme-lock.comand-timeout | Below acme-lock there are: command-timeout"
            })
    void theNamesThatExistAreListed(String name, String known) {
        FailureReport.assertThat(application.withPropertyValues(name + "=1s"))
                .contains(known)
                .doesNotContain("1s");
    }

    @Test
    void unknownPropertiesAreReportedWithFileAndLine() throws IOException {
        String yaml = """
                distributed-lock:
                  lease: 7s
                  leese: 30s
                """;
        ByteArrayResource file = new ByteArrayResource(yaml.getBytes(StandardCharsets.UTF_8), "application.yaml");
        FailureReport.assertThat(with((EnumerablePropertySource<?>)
                        new YamlPropertySourceLoader().load("file", file).get(0)))
                .contains("distributed-lock.leese", "[application.yaml] - 3:10");
    }

    /** Another module binds them, and need not be there. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "distributed-lock.cache.names=products",
                "distributed-lock.leader.roles=billing",
                "distributed-lock.redis.command-timeout=1s",
                "distributed-lock.redis.commandTimeout=1s",
                "distributed-lock.redlock.nodes[0]=redis://a",
                "distributed-lock.jdbc.table=locks",
                "distributed-lock.zookeeper.root=/a/b.c",
                "distributed-lock.etcd.endpoints=http://a,http://b"
            })
    void areNotThoseOfOtherModules(String setting) {
        application.withPropertyValues(setting).run(context -> assertThat(context)
                .hasNotFailed()
                .getBean(DistributedLockProperties.class)
                .asString()
                .contains("cache={}, leader={}, locks={}, redis={}, redlock={}, jdbc={}, zookeeper={}, etcd={}"));
    }

    /** A YAML file may name a group and none of its properties. */
    @ParameterizedTest
    @ValueSource(strings = {"retry", "locks", "redis"})
    void emptyGroupsAreAccepted(String group) {
        application.withPropertyValues("distributed-lock." + group + "=").run(context -> assertThat(context)
                .hasNotFailed());
    }

    /** As Spring Boot does: another version of the application may share the environment. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "DISTRIBUTEDLOCK_LEESE",
                "DISTRIBUTED_LOCK_QUOTA_MOST",
                "DISTRIBUTEDLOCK_REDIS_LEESE",
                "DISTRIBUTEDLOCK_LOCKS_SHIP_LEESE",
                "DISTRIBUTED_LOCK_SERVICE_HOST",
                "DISTRIBUTED_LOCK_PORT_6379_TCP_ADDR"
            })
    void doNotFailTheStartInTheEnvironment(String variable) {
        withVariable(variable, "1s").run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void unknownSystemPropertiesDoNotFailTheStart() {
        with(new MapPropertySource(
                        StandardEnvironment.SYSTEM_PROPERTIES_PROPERTY_SOURCE_NAME,
                        Map.of("distributed-lock.leese", "1s")))
                .run(context -> assertThat(context).hasNotFailed());
    }

    @ParameterizedTest
    @ValueSource(strings = {"DISTRIBUTED_LOCK_MAX_LEASE", "DISTRIBUTEDLOCK_MAXLEASE"})
    void bothSpellingsOfAnEnvironmentVariableAreAccepted(String variable) {
        withVariable(variable, "70s").run(context -> assertThat(
                        context.getBean(DistributedLockProperties.class).longestLease())
                .isEqualTo(Duration.ofSeconds(70)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"distributed.lock", "distributed-locks", "spring.distributed-lock"})
    void mistakenPrefixesAreWarnedOf(String prefix, CapturedOutput output) {
        application
                .withPropertyValues(prefix + ".lease=7s", prefix + ".locks.order.lease=8s")
                .run(context -> assertThat(context).hasNotFailed());
        assertThat(output)
                .containsOnlyOnce("lock-starter does not read " + prefix + ".lease, " + prefix
                        + ".locks.order.lease: its" + " properties begin with distributed-lock")
                .doesNotContain("7s");
    }

    /** The second is that of a Kubernetes service. */
    @ParameterizedTest
    @ValueSource(strings = {"DISTRIBUTED_LOCK_LEASE", "DISTRIBUTED_LOCK_SERVICE_HOST"})
    void environmentVariablesHaveNoMistakenPrefix(String variable, CapturedOutput output) {
        withVariable(variable, "7s").run(context -> assertThat(context).hasNotFailed());
        assertThat(output).doesNotContain("does not read");
    }

    @Test
    void unknownPropertiesAreReportedDespiteAnInvalidValue() {
        FailureReport.assertThat(
                        application.withPropertyValues("distributed-lock.quota.most=3", "distributed-lock.lease=soon"))
                .contains("'soon' is not a valid duration");
    }

    @Test
    void propertiesOfTheParentContextAreAccepted() {
        application.withPropertyValues("acme-lock.command-timeout=2s").run(parent -> new ApplicationContextRunner()
                .withParent(parent)
                .withConfiguration(AutoConfigurations.of(DistributedLockAutoConfiguration.class))
                .withPropertyValues("distributed-lock.backend=local", "acme-lock.command-timeout=2s")
                .run(child -> assertThat(child).hasNotFailed()));
    }
}
