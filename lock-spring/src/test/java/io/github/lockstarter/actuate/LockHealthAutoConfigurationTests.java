package io.github.lockstarter.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.autoconfigure.DistributedLockAutoConfiguration;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthContributor;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** On Boot 4; the application of verification/apps-boot3 has the other line. */
class LockHealthAutoConfigurationTests {

    private static final String BEAN = "distributedLockHealthContributor";

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(
                    AutoConfigurations.of(DistributedLockAutoConfiguration.class, LockActuatorAutoConfiguration.class))
            .withPropertyValues("distributed-lock.backend=local");

    @Test
    void theHealthIsUpWhenTheStoreAnswers() {
        runner.run(context -> {
            assertThat(context).hasSingleBean(HealthContributor.class).hasBean(BEAN);
            assertThat(context.getBean(BEAN, HealthIndicator.class).health()).satisfies(health -> {
                assertThat(health.getStatus()).isEqualTo(Status.UP);
                assertThat(health.getDetails())
                        .containsEntry("store", "this JVM")
                        .containsEntry("hearsSignals", true)
                        .doesNotContainKeys("failure", "warnings", "recoveringUntil", "guard", "nodes");
            });
        });
    }

    @Test
    void theHealthIsDisabledLikeOtherIndicators() {
        runner.withPropertyValues("management.health.distributed-lock.enabled=false")
                .run(context -> assertThat(context).doesNotHaveBean(BEAN));
        runner.withPropertyValues("management.health.defaults.enabled=false")
                .run(context -> assertThat(context).doesNotHaveBean(BEAN));
        runner.withPropertyValues(
                        "management.health.defaults.enabled=false", "management.health.distributedlock.enabled=true")
                .run(context -> assertThat(context).hasBean(BEAN));
    }

    @Test
    void theHealthIsAbsentWhenLocksAreDisabled() {
        runner.withPropertyValues("distributed-lock.enabled=false")
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(BEAN));
    }

    @Test
    void theHealthIsAbsentWithoutTheHealthModule() {
        runner.withClassLoader(new FilteredClassLoader("org.springframework.boot.health"))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(BEAN));
    }

    @Test
    void backsOffFromTheHealthIndicatorOfTheApplication() {
        HealthIndicator own = () -> Health.up().build();

        runner.withBean(BEAN, HealthIndicator.class, () -> own)
                .run(context -> assertThat(context.getBean(BEAN)).isSameAs(own));
    }
}
