package io.github.lockstarter.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.LockAdmin;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockOperations;
import io.github.lockstarter.actuate.LocksEndpoint;
import io.github.lockstarter.actuate.LocksEndpointWebExtension;
import io.github.lockstarter.actuate.LocksReport;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.springframework.boot.actuate.autoconfigure.endpoint.EndpointAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.endpoint.jmx.JmxEndpointAutoConfiguration;
import org.springframework.boot.actuate.endpoint.InvocationContext;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.actuate.endpoint.jmx.JmxEndpointsSupplier;
import org.springframework.boot.actuate.endpoint.jmx.JmxOperation;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.jmx.JmxAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

class LockEndpointAutoConfigurationTests {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(
                    AutoConfigurations.of(DistributedLockAutoConfiguration.class, LockActuatorAutoConfiguration.class))
            .withPropertyValues("distributed-lock.backend=local");

    private final ApplicationContextRunner exposed =
            runner.withPropertyValues("management.endpoints.web.exposure.include=locks");

    @Test
    void isThereWhenExposed() {
        exposed.run(context ->
                assertThat(context).hasSingleBean(LocksEndpoint.class).hasSingleBean(LocksEndpointWebExtension.class));
    }

    @Test
    void isAbsentUnlessExposed() {
        runner.withPropertyValues("management.endpoints.web.exposure.include=health")
                .run(context -> assertThat(context)
                        .hasSingleBean(LockAdmin.class)
                        .doesNotHaveBean(LocksEndpoint.class)
                        .doesNotHaveBean(LocksEndpointWebExtension.class));
    }

    @Test
    void isAbsentWhenItsAccessIsNone() {
        exposed.withPropertyValues("management.endpoint.locks.access=NONE")
                .run(context -> assertThat(context).doesNotHaveBean(LocksEndpoint.class));
    }

    @Test
    void isAbsentWithoutTheActuatorOnTheClassPath() {
        exposed.withClassLoader(new FilteredClassLoader("org.springframework.boot.actuate"))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(LocksEndpoint.class));
    }

    @Test
    void isAbsentWithoutLocks() {
        exposed.withPropertyValues("distributed-lock.enabled=false")
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(LocksEndpoint.class));
    }

    @Test
    void backsOffFromTheApplicationsOwnEndpoint() {
        exposed.withUserConfiguration(OwnEndpoint.class)
                .run(context ->
                        assertThat(context).hasSingleBean(LocksEndpoint.class).hasBean("own"));
    }

    @Test
    void masksKeysUnlessToldOtherwise() {
        assertShown("****** (management.endpoint.locks.show-values)");
        assertShown("order:42", "management.endpoint.locks.show-values=always");
        assertShown(
                "****** (management.endpoint.locks.show-values)",
                "management.endpoint.locks.show-values=when-authorized");
    }

    private void assertShown(String key, String... properties) {
        exposed.withPropertyValues(properties).run(context -> {
            try (LockHandle held = context.getBean(LockOperations.class).acquire("order:42")) {
                assertThat(held.isHeld()).isTrue();
                assertThat(context.getBean(LocksEndpoint.class)
                                .locks(null, null, null)
                                .held())
                        .extracting(LocksReport.Held::key)
                        .containsExactly(key);
            }
        });
    }

    @Test
    void releasesOverJmxOnlyWhereAccessIsUnrestricted() {
        ApplicationContextRunner jmx = runner.withConfiguration(AutoConfigurations.of(
                        JmxAutoConfiguration.class,
                        EndpointAutoConfiguration.class,
                        JmxEndpointAutoConfiguration.class))
                .withPropertyValues("spring.jmx.enabled=true", "management.endpoints.jmx.exposure.include=locks");

        jmx.run(context -> assertThat(operationsOf(context)).containsOnlyKeys("locks"));
        jmx.withPropertyValues("management.endpoint.locks.access=UNRESTRICTED").run(context -> {
            Map<String, JmxOperation> operations = operationsOf(context);
            LockHandle held = context.getBean(LockOperations.class).acquire("order:42");

            Object shown = invoke(operations.get("locks"), Map.of("key", "order:42"));
            Object released = invoke(
                    operations.get("release"),
                    Map.of("key", "order:42", "fencingToken", held.fencingToken(), "reason", "hangs"));

            assertThat(shown.toString()).contains("key=order:42", "fencingToken=" + held.fencingToken());
            assertThat(released.toString()).contains("outcome=RELEASED");
            assertThat(held.isHeld()).isFalse();
        });
    }

    /**
     * What docs/operations/endpoint.md says of it: Boot takes the default for all endpoints before that of the endpoint
     * itself.
     */
    @Test
    void theDefaultForAllEndpointsOpensItUnlessItsOwnAccessIsSet() {
        ApplicationContextRunner jmx = runner.withConfiguration(AutoConfigurations.of(
                        JmxAutoConfiguration.class,
                        EndpointAutoConfiguration.class,
                        JmxEndpointAutoConfiguration.class))
                .withPropertyValues(
                        "spring.jmx.enabled=true",
                        "management.endpoints.jmx.exposure.include=locks",
                        "management.endpoints.access.default=UNRESTRICTED");

        jmx.run(context -> assertThat(operationsOf(context)).containsOnlyKeys("locks", "release"));
        jmx.withPropertyValues("management.endpoint.locks.access=READ_ONLY")
                .run(context -> assertThat(operationsOf(context)).containsOnlyKeys("locks"));
        jmx.withPropertyValues("management.endpoints.access.max-permitted=READ_ONLY")
                .run(context -> assertThat(operationsOf(context)).containsOnlyKeys("locks"));
    }

    private static Map<String, JmxOperation> operationsOf(ApplicationContext context) {
        return context.getBean(JmxEndpointsSupplier.class).getEndpoints().stream()
                .flatMap(endpoint -> endpoint.getOperations().stream())
                .collect(Collectors.toMap(JmxOperation::getName, operation -> operation));
    }

    private static Object invoke(JmxOperation operation, Map<String, Object> arguments) {
        return operation.invoke(new InvocationContext(SecurityContext.NONE, arguments));
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnEndpoint {

        @Bean
        LocksEndpoint own(LockAdmin locks, ApplicationEventPublisher events) {
            return new LocksEndpoint(locks, Map.of(), events, Show.ALWAYS, Set.of());
        }
    }
}
