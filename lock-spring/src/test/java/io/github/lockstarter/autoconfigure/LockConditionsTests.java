package io.github.lockstarter.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockTemplate;
import io.github.lockstarter.autoconfigure.testing.FailureReport;
import io.github.lockstarter.engine.LockEngine;
import io.github.lockstarter.local.LocalLockBackend;
import io.github.lockstarter.reactive.ReactiveLockOperations;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** However a property is spelled, nothing ever runs unlocked. */
class LockConditionsTests {

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(DistributedLockAutoConfiguration.class));

    static class Shipping {
        @DistributedLock
        public boolean isLocked() {
            return LockHandle.current().isPresent();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"true", "TRUE"})
    void acceptsEverySpellingOfTheEnabledProperty(String enabled) {
        application
                .withBean(Shipping.class)
                .withPropertyValues("distributed-lock.backend=local", "distributed-lock.enabled=" + enabled)
                .run(context ->
                        assertThat(context.getBean(Shipping.class).isLocked()).isTrue());
    }

    @ParameterizedTest
    @ValueSource(strings = {"false", "FALSE", "no", "off", "0", "yes", "on", "1"})
    void refusesAnAnnotationForEveryOtherValue(String disabled) {
        FailureReport.assertThat(application
                        .withBean(Shipping.class)
                        .withPropertyValues("distributed-lock.backend=local", "distributed-lock.enabled=" + disabled))
                .contains("distributed-lock.enabled is not true", "the method would run unlocked");
    }

    @Configuration(proxyBeanMethods = false)
    static class Several {

        @Bean
        LockTemplate first(LockEngine engine) {
            return new LockTemplate(engine);
        }

        @Bean
        LockTemplate second(LockEngine engine) {
            return new LockTemplate(engine);
        }
    }

    @Test
    void startsWithSeveralLockOperationsOfTheApplication() {
        application
                .withPropertyValues("distributed-lock.backend=local")
                .withUserConfiguration(Several.class)
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(ReactiveLockOperations.class));
        application.withPropertyValues("distributed-lock.backend=local").run(context -> assertThat(context)
                .hasSingleBean(ReactiveLockOperations.class));
    }

    @ParameterizedTest
    @ValueSource(strings = {"local", "LOCAL", "local "})
    void acceptsEverySpellingOfTheBackend(String backend) {
        application.withPropertyValues("distributed-lock.backend=" + backend).run(context -> assertThat(context)
                .hasSingleBean(LocalLockBackend.class));
    }

    @ParameterizedTest
    @ValueSource(strings = {"enabled=perhaps", "backend=zookeeper", "on-lost=ignore"})
    void explainsAValueThatCannotBeRead(String property) {
        FailureReport.assertThat(application.withPropertyValues("distributed-lock." + property))
                .contains("distributed-lock." + property.substring(0, property.indexOf('=')));
    }

    @ParameterizedTest
    @ValueSource(strings = {"on-lost", "locks.order.on-lost"})
    void namesTheValuesOfTheBehaviourAtALoss(String property) {
        FailureReport.assertThat(application.withPropertyValues(
                        "distributed-lock.backend=local", "distributed-lock." + property + "=stop"))
                .contains("distributed-lock." + property, "\"stop\"", "AS_CONFIGURED", "INTERRUPT", "RETURN", "THROW");
    }
}
