package io.github.lockstarter.observe;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.Execution;
import io.github.lockstarter.LockOperations;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.autoconfigure.DistributedLockAutoConfiguration;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.tck.TestObservationRegistry;
import io.micrometer.observation.tck.TestObservationRegistryAssert;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.MDC;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

class LockDecoratorAutoConfigurationTests {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    LockObservabilityAutoConfiguration.class, DistributedLockAutoConfiguration.class))
            .withPropertyValues("distributed-lock.backend=local");

    private final ApplicationContextRunner observing = runner.withBean(
                    ObservationRegistry.class, TestObservationRegistry::create)
            .withPropertyValues("distributed-lock.observation.enabled=true");

    @Test
    void addsNoDecoratorWhenNothingIsConfigured() {
        runner.withBean(ObservationRegistry.class, TestObservationRegistry::create)
                .run(context -> assertThat(context)
                        .as("neither configured nor a tracer on the class path")
                        .doesNotHaveBean(LockObservations.class));
    }

    @Test
    void observesWhenEnabledWithAnObservationRegistry() {
        observing.run(context -> {
            context.getBean(LockOperations.class).execute("order:42", () -> {});

            TestObservationRegistryAssert.assertThat(context.getBean(TestObservationRegistry.class))
                    .hasObservationWithNameEqualTo("distributed.lock.acquisition")
                    .that()
                    .hasBeenStopped();
        });
    }

    @Test
    void decoratesTryExecute() {
        runner.withPropertyValues("distributed-lock.log.mdc=true").run(context -> {
            LockOperations locks = context.getBean(LockOperations.class);
            Execution<String> execution = locks.tryExecute("order:42", () -> MDC.get("lock.held.key"));
            assertThat(execution).isEqualTo(new Execution.Executed<>("order:42"));
        });
    }

    @Test
    void showsKeysAsConfigured() {
        observing.withPropertyValues("distributed-lock.observation.key=plain").run(context -> {
            context.getBean(LockOperations.class).execute("order:42", () -> {});

            TestObservationRegistryAssert.assertThat(context.getBean(TestObservationRegistry.class))
                    .hasObservationWithNameEqualTo("distributed.lock.section")
                    .that()
                    .hasHighCardinalityKeyValue("lock.key", "order:42");
        });
    }

    @Test
    void decoratorIsAbsentWithoutMicrometer() {
        runner.withClassLoader(new FilteredClassLoader("io.micrometer.observation"))
                .withPropertyValues("distributed-lock.observation.enabled=true")
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean("distributedLockObservations"));
    }

    @Test
    void decoratorIsAbsentWhenLocksAreDisabled() {
        observing
                .withPropertyValues("distributed-lock.enabled=false", "distributed-lock.log.mdc=true")
                .run(context -> assertThat(context)
                        .doesNotHaveBean(LockObservations.class)
                        .doesNotHaveBean("distributedLockMdc"));
    }

    @ParameterizedTest
    @CsvSource({"false, false", "true, true", "TRUE, true"})
    void putsKeysIntoTheMdcWhenConfigured(String value, boolean on) {
        runner.withPropertyValues("distributed-lock.log.mdc=" + value)
                .run(context ->
                        assertThat(context.containsBean("distributedLockMdc")).isEqualTo(on));
    }

    @Test
    void logsSeveralKeysInOneLine() {
        runner.withPropertyValues("distributed-lock.log.mdc=true").run(context -> {
            LockOperations locks = context.getBean(LockOperations.class);
            locks.execute(
                    LockRequest.ofAll(List.of("a", "b\nforged")), () -> assertThat(MDC.get("lock.held.fencingToken"))
                            .contains("b\\nforged=")
                            .doesNotContain("\n"));
        });
    }

    @Test
    void putsTheInnermostLockIntoTheMdc() {
        runner.withPropertyValues("distributed-lock.log.mdc=true").run(context -> {
            LockOperations locks = context.getBean(LockOperations.class);
            MDC.put("lock.held.name", "of the application");

            locks.execute(LockRequest.of("order:42").named("ship-order"), () -> {
                assertThat(MDC.getCopyOfContextMap())
                        .containsAllEntriesOf(Map.of("lock.held.key", "order:42", "lock.held.name", "ship-order"))
                        .containsKey("lock.held.fencingToken");
                locks.execute(
                        "inner", () -> assertThat(MDC.get("lock.held.key")).isEqualTo("inner"));
                assertThat(MDC.get("lock.held.key")).isEqualTo("order:42");
            });

            assertThat(MDC.get("lock.held.name")).isEqualTo("of the application");
            assertThat(MDC.get("lock.held.key")).isNull();
            MDC.clear();
        });
    }
}
