package io.github.lockstarter.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.LockAdmin;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockOperations;
import io.github.lockstarter.autoconfigure.DistributedLockAutoConfiguration;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.springframework.boot.actuate.autoconfigure.endpoint.EndpointAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.endpoint.web.WebEndpointAutoConfiguration;
import org.springframework.boot.actuate.endpoint.InvocationContext;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.actuate.endpoint.web.WebEndpointHttpMethod;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.WebEndpointsSupplier;
import org.springframework.boot.actuate.endpoint.web.WebOperation;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
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
    void endpointIsPresentWhenExposed() {
        exposed.run(context -> assertThat(context).hasSingleBean(LocksEndpoint.class));
    }

    @Test
    void endpointIsAbsentUnlessExposed() {
        runner.withPropertyValues("management.endpoints.web.exposure.include=health")
                .run(context ->
                        assertThat(context).hasSingleBean(LockAdmin.class).doesNotHaveBean(LocksEndpoint.class));
    }

    @Test
    void endpointIsAbsentWhenItsAccessIsNone() {
        exposed.withPropertyValues("management.endpoint.locks.access=NONE")
                .run(context -> assertThat(context).doesNotHaveBean(LocksEndpoint.class));
    }

    @Test
    void endpointIsAbsentWithoutTheActuator() {
        exposed.withClassLoader(new FilteredClassLoader("org.springframework.boot.actuate"))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(LocksEndpoint.class));
    }

    @Test
    void endpointIsAbsentWhenLocksAreDisabled() {
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
    void masksKeysByDefault() {
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
                                .locks(SecurityContext.NONE, null, null, null, null)
                                .held())
                        .extracting(LocksReport.HeldLockReport::key)
                        .containsExactly(key);
            }
        });
    }

    private final WebApplicationContextRunner web = new WebApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    EndpointAutoConfiguration.class,
                    WebEndpointAutoConfiguration.class,
                    DistributedLockAutoConfiguration.class,
                    LockActuatorAutoConfiguration.class))
            .withPropertyValues("distributed-lock.backend=local", "management.endpoints.web.exposure.include=locks");

    @Test
    void releasesOnlyWithUnrestrictedAccess() {
        web.run(context -> assertThat(operationsOf(context)).containsOnlyKeys(WebEndpointHttpMethod.GET));
        web.withPropertyValues("management.endpoint.locks.access=UNRESTRICTED").run(context -> {
            Map<WebEndpointHttpMethod, WebOperation> operations = operationsOf(context);
            LockHandle held = context.getBean(LockOperations.class).acquire("order:42");

            Object shown = invoke(operations.get(WebEndpointHttpMethod.GET), Map.of("key", "order:42"));
            Object released = invoke(
                    operations.get(WebEndpointHttpMethod.POST),
                    Map.of("key", "order:42", "fencingToken", held.fencingToken(), "reason", "hangs"));

            assertThat(shown.toString()).contains("key=order:42", "fencingToken=" + held.fencingToken());
            assertThat(((WebEndpointResponse<?>) released).getStatus()).isEqualTo(200);
            assertThat(held.isHeld()).isFalse();
        });
    }

    /**
     * As docs/operations.md says: Boot applies the default for all endpoints before the default of the endpoint itself.
     */
    @Test
    void theDefaultAccessOfAllEndpointsAppliesUnlessItsOwnIsSet() {
        WebApplicationContextRunner open = web.withPropertyValues("management.endpoints.access.default=UNRESTRICTED");

        open.run(context -> assertThat(operationsOf(context)).hasSize(2));
        open.withPropertyValues("management.endpoint.locks.access=READ_ONLY")
                .run(context -> assertThat(operationsOf(context)).containsOnlyKeys(WebEndpointHttpMethod.GET));
        open.withPropertyValues("management.endpoints.access.max-permitted=READ_ONLY")
                .run(context -> assertThat(operationsOf(context)).containsOnlyKeys(WebEndpointHttpMethod.GET));
    }

    private static Map<WebEndpointHttpMethod, WebOperation> operationsOf(ApplicationContext context) {
        return context.getBean(WebEndpointsSupplier.class).getEndpoints().stream()
                .flatMap(endpoint -> endpoint.getOperations().stream())
                .filter(operation -> operation.getRequestPredicate().getPath().equals("locks"))
                .collect(Collectors.toMap(
                        operation -> operation.getRequestPredicate().getHttpMethod(), operation -> operation));
    }

    private static Object invoke(WebOperation operation, Map<String, Object> arguments) {
        return operation.invoke(new InvocationContext(SecurityContext.NONE, arguments));
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnEndpoint {

        @Bean
        LocksEndpoint own(LockAdmin locks, ApplicationEventPublisher events, LockDiagnosis diagnosis) {
            return new LocksEndpoint(locks, Map.of(), events, Show.ALWAYS, Set.of(), diagnosis);
        }
    }
}
