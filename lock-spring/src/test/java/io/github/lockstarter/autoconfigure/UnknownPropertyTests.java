package io.github.lockstarter.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.autoconfigure.testing.FailureReport;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.ConstructorBinding;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/** Settings that nothing reads: misspelt, or below spring. */
@ExtendWith(OutputCaptureExtension.class)
class UnknownPropertyTests {

    private static final String WARNING = "sets no property of distributed-lock in this version (";

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(
                    AutoConfigurations.of(DistributedLockAutoConfiguration.class, AcmeLockAutoConfiguration.class))
            .withPropertyValues("distributed-lock.backend=local");

    private ApplicationContextRunner withVariable(String name, Object value) {
        return application.withInitializer(context -> context.getEnvironment()
                .getPropertySources()
                .replace(
                        StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME,
                        new SystemEnvironmentPropertySource(
                                StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME, Map.of(name, value))));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
            distributed-lock.leaze=1s               | distributed-lock.lease
            distributed-lock.acme.comand-timeout=1s | distributed-lock.acme.command-timeout
            distributed-lock.locks.ship.leas=1s     | distributed-lock.locks.ship.lease
            distributed-lock.locks[Order.ship].leas=1s | distributed-lock.locks.[Order.ship].lease
            distributed-lock.locks.orders.eu.lease=1s  | distributed-lock.locks.[orders.eu].lease
            distributed-lock.locks.OrderService.ship.leas=1s | distributed-lock.locks.[OrderService.ship].lease
            distributed-lock.lockz.ship.lease=1s    | distributed-lock.locks.ship.lease
            distributed-lock.max_leaze=1s           | distributed-lock.max-lease
            spring.distributed-lock.lease=1s        | distributed-lock.lease
            spring.distributedLock.maxLease=1m      | distributed-lock.max-lease
            spring.distributed-lock.locks.ship.wait=1s | distributed-lock.locks.ship.wait
            """)
    void warnsAndSaysWhatIsMeant(String setting, String meant, CapturedOutput output) {
        application.withPropertyValues(setting).run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(output).containsOnlyOnce(WARNING).contains("Did you mean " + meant + "?");
        });
    }

    /** A configuration that instances of two versions share does not stop the older one. */
    @Test
    void startsWithAPropertyOfANewerVersionAndNamesItAndItsSource(CapturedOutput output) {
        application
                .withPropertyValues("distributed-lock.quota.most=3", "distributed-lock.lease=7s")
                .run(context -> {
                    assertThat(context.getBean(DistributedLockProperties.class).lease())
                            .isEqualTo(Duration.ofSeconds(7));
                    assertThat(output)
                            .containsOnlyOnce("distributed-lock.quota.most " + WARNING
                                    + "\"distributed-lock.quota.most\" from property source \"test\").")
                            .doesNotContain("Did you mean");
                });
    }

    @Test
    void failsTheStartForAWrongValueBesideAnUnknownName() {
        application
                .withPropertyValues("distributed-lock.quota.most=3", "distributed-lock.lease=soon")
                .run(context -> assertThat(FailureReport.of(context.getStartupFailure()))
                        .contains("'soon' is not a valid duration"));
    }

    @ConfigurationProperties("distributed-lock.other")
    record OtherProperties(
            List<Server> servers,
            Map<String, Server[]> spare,
            List<String> names,
            Map<String, String> tags,
            Map<String, Server> zones,
            Map<String, List<Server>> regions,
            Pool pool,
            Tree tree) {

        @ConstructorBinding
        OtherProperties {}

        OtherProperties(Tree tree) {
            this(List.of(), Map.of(), List.of(), Map.of(), Map.of(), Map.of(), new Pool(), tree);
        }
    }

    record Server(String host, int port) {}

    record Tree(List<Tree> children, String name) {}

    static class Pool {
        private int maxSize;

        public int getMaxSize() {
            return maxSize;
        }

        public void setMaxSize(int maxSize) {
            this.maxSize = maxSize;
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableConfigurationProperties(OtherProperties.class)
    static class Other {

        @Bean
        @ConfigurationProperties("distributed-lock.pool")
        Pool pool() {
            return new Pool();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "other.servers[0].host=a",
                "other.spare.eu[0].port=1",
                "other.names[0]=a",
                "other.names=a,b",
                "other.tags.a=b",
                "other.tags.a.b.c=d",
                "other.tags[0]=d",
                "other.zones.eu.host=a",
                "other.regions.eu[0].host=a",
                "other.pool.max-size=1",
                "other.tree.children[0].name=a",
                "pool.max-size=1"
            })
    void knowsWhatAnyClassOfAnotherModuleTakes(String property, CapturedOutput output) {
        application
                .withUserConfiguration(Other.class)
                .withPropertyValues("distributed-lock." + property)
                .run(context -> assertThat(context).hasNotFailed());
        assertThat(output).doesNotContain(WARNING);
    }

    @ParameterizedTest
    @CsvSource({
        "other.servers[0].hots=a, distributed-lock.other.servers.[0].host",
        "other.zones.eu.hots=a, distributed-lock.other.zones.eu.host",
        "other.namez[0]=a, distributed-lock.other.names",
        "other.names.first=a, ",
        "other.tree.children[0].nane=a, distributed-lock.other.tree.children.[0].name"
    })
    void findsWhatNoClassOfAnotherModuleTakes(String property, String meant, CapturedOutput output) {
        application
                .withUserConfiguration(Other.class)
                .withPropertyValues("distributed-lock." + property)
                .run(context -> {}); // Boot itself refuses what is left over of an element of a list
        assertThat(output).contains(WARNING).contains(meant == null ? WARNING : "Did you mean " + meant + "?");
    }

    @Test
    void knowsInAChildWhatTheParentTakes(CapturedOutput output) {
        application.run(parent -> new ApplicationContextRunner()
                .withParent(parent)
                .withConfiguration(AutoConfigurations.of(DistributedLockAutoConfiguration.class))
                .withPropertyValues("distributed-lock.backend=local", "distributed-lock.acme.command-timeout=2s")
                .run(child -> assertThat(child).hasNotFailed()));
        assertThat(output).doesNotContain(WARNING);
    }

    @Test
    void namesNothingWhereNothingIsNear(CapturedOutput output) {
        application.withPropertyValues("distributed-lock.zookeeper=a").run(context -> assertThat(context)
                .hasNotFailed());
        assertThat(output).contains("distributed-lock.zookeeper " + WARNING).doesNotContain("Did you mean");
    }

    /** A YAML file may name a group without any property. */
    @ParameterizedTest
    @ValueSource(strings = {"distributed-lock.retry", "distributed-lock.locks", "distributed-lock.acme"})
    void knowsAnEmptyGroup(String group, CapturedOutput output) {
        application.withPropertyValues(group + "=").run(context -> assertThat(context)
                .hasNotFailed());
        assertThat(output).doesNotContain(WARNING);
    }

    @Test
    void warnsOfASystemProperty(CapturedOutput output) {
        application
                .withInitializer(context -> context.getEnvironment()
                        .getPropertySources()
                        .replace(
                                StandardEnvironment.SYSTEM_PROPERTIES_PROPERTY_SOURCE_NAME,
                                new MapPropertySource(
                                        StandardEnvironment.SYSTEM_PROPERTIES_PROPERTY_SOURCE_NAME,
                                        Map.of("distributed-lock.leese", "1s"))))
                .run(context -> assertThat(context).hasNotFailed());
        assertThat(output)
                .contains("distributed-lock.leese " + WARNING)
                .contains("Did you mean distributed-lock.lease?");
    }

    @Test
    void warnsOfAVariableBelowSpring(CapturedOutput output) {
        withVariable("SPRING_DISTRIBUTED_LOCK_LEASE", "1s")
                .run(context -> assertThat(context).hasNotFailed());
        assertThat(output)
                .contains("SPRING_DISTRIBUTED_LOCK_LEASE " + WARNING)
                .contains("Did you mean distributed-lock.lease?");
    }

    @ParameterizedTest
    @CsvSource({
        "DISTRIBUTED_LOCK_LEESE,        DISTRIBUTED_LOCK_LEASE",
        "DISTRIBUTEDLOCK_LEESE,         DISTRIBUTEDLOCK_LEASE",
        "DISTRIBUTEDLOCK_MAX_LEASE,     DISTRIBUTEDLOCK_MAXLEASE",
        "DISTRIBUTED_LOCK_ACME_COMAND_TIMEOUT, DISTRIBUTED_LOCK_ACME_COMMAND_TIMEOUT",
        "DISTRIBUTED_LOCK_LOCKS_SHIP_LEESE, "
    })
    void warnsOfAVariable(String variable, String meant, CapturedOutput output) {
        withVariable(variable, "1s").run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(output).containsOnlyOnce(variable + " " + WARNING);
            assertThat(output.getAll().contains("Did you mean ")).isEqualTo(meant != null);
            if (meant != null) {
                assertThat(output).contains("Did you mean " + meant + "?");
            }
        });
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "DISTRIBUTED_LOCK_LEASE",
                "DISTRIBUTEDLOCK_LEASE",
                "DISTRIBUTED_LOCK_MAX_LEASE",
                "DISTRIBUTEDLOCK_MAXLEASE",
                "DISTRIBUTED_LOCK_WAIT",
                "DISTRIBUTEDLOCK_ACME_COMMANDTIMEOUT",
                "DISTRIBUTEDLOCK_LOCKS_SHIP_LEASE",
                "DISTRIBUTED_LOCKER_HOME"
            })
    void knowsTheVariablesOfProperties(String variable, CapturedOutput output) {
        withVariable(variable, "30s").run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(output).doesNotContain(WARNING);
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"DISTRIBUTED_LOCK_LEASE", "DISTRIBUTEDLOCK_LEASE"})
    void readsBothSpellingsOfAVariable(String variable) {
        withVariable(variable, "7s").run(context -> assertThat(
                        context.getBean(DistributedLockProperties.class).lease())
                .isEqualTo(Duration.ofSeconds(7)));
    }

    /** Kubernetes describes a service that is called distributed-lock to each of its pods. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "DISTRIBUTED_LOCK_SERVICE_HOST",
                "DISTRIBUTED_LOCK_SERVICE_PORT_HTTP",
                "DISTRIBUTED_LOCK_PORT",
                "DISTRIBUTED_LOCK_PORT_6379_TCP_ADDR"
            })
    void knowsTheVariablesOfAService(String variable, CapturedOutput output) {
        withVariable(variable, "10.0.0.1").run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(output).doesNotContain(WARNING);
        });
    }
}
