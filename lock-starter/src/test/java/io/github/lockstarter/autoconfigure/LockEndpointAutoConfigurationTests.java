package io.github.lockstarter.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

import io.github.lockstarter.LockOperations;
import io.github.lockstarter.actuate.LocksEndpoint;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

class LockEndpointAutoConfigurationTests {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(LockEndpointAutoConfiguration.class))
            .withPropertyValues("management.endpoints.web.exposure.include=locks");

    private final ApplicationContextRunner withLocks =
            runner.withBean(LockOperations.class, () -> mock(LockOperations.class));

    @Test
    void isThereWhenExposed() {
        withLocks.run(context -> assertThat(context).hasSingleBean(LocksEndpoint.class));
    }

    @Test
    void isAbsentUnlessExposed() {
        withLocks
                .withPropertyValues("management.endpoints.web.exposure.include=health")
                .run(context -> assertThat(context).doesNotHaveBean(LocksEndpoint.class));
    }

    @Test
    void isAbsentWhenItsAccessIsNone() {
        withLocks.withPropertyValues("management.endpoint.locks.access=NONE").run(context -> assertThat(context)
                .doesNotHaveBean(LocksEndpoint.class));
    }

    @Test
    void isAbsentWithoutTheActuatorOnTheClassPath() {
        withLocks
                .withClassLoader(new FilteredClassLoader("org.springframework.boot.actuate"))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(LocksEndpoint.class));
    }

    @Test
    void isAbsentWithoutLocks() {
        runner.run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(LocksEndpoint.class));
    }

    @Test
    void backsOffFromTheApplicationsOwnEndpoint() {
        LocksEndpoint own = new LocksEndpoint(mock(LockOperations.class));

        withLocks
                .withBean("own", LocksEndpoint.class, () -> own)
                .run(context -> assertThat(context.getBean(LocksEndpoint.class)).isSameAs(own));
    }
}
