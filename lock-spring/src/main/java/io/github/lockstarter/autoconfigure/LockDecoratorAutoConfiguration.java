package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.observe.LockMdc;
import io.github.lockstarter.observe.tracing.LockObservationConvention;
import io.github.lockstarter.observe.tracing.LockObservations;
import io.micrometer.observation.ObservationRegistry;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.AnyNestedCondition;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;

/**
 * Decorators of locked bodies: observations where the application has a tracer, and the log context where configured.
 */
@AutoConfiguration(
        before = DistributedLockAutoConfiguration.class,
        afterName = {
            "org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration",
            "org.springframework.boot.actuate.autoconfigure.observation.ObservationAutoConfiguration"
        })
@ConditionalOnBooleanProperty(name = "distributed-lock.enabled", matchIfMissing = true)
public final class LockDecoratorAutoConfiguration {

    /** Created by Spring. */
    public LockDecoratorAutoConfiguration() {}

    @Bean
    @ConditionalOnMissingBean
    @ConditionalOnBooleanProperty("distributed-lock.log.mdc")
    @Order(2)
    LockMdc distributedLockMdc() {
        return new LockMdc();
    }

    /** Spans. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(ObservationRegistry.class)
    @ConditionalOnSingleCandidate(ObservationRegistry.class)
    @Conditional(Observed.class)
    static class Observing {

        @Bean
        @ConditionalOnMissingBean
        @Order(1)
        LockObservations distributedLockObservations(
                ObservationRegistry registry,
                ObjectProvider<LockObservationConvention> conventions,
                DistributedLockProperties properties) {
            return new LockObservations(
                    registry,
                    conventions.getIfUnique(() -> new LockObservationConvention(
                            properties.observation().key())));
        }
    }

    /**
     * As configured; by default, where there is a tracer: without one, observations would repeat the meters at a higher
     * cost.
     */
    static final class Observed extends AnyNestedCondition {

        private static final String ENABLED = "distributed-lock.observation.enabled";

        Observed() {
            super(ConfigurationPhase.PARSE_CONFIGURATION);
        }

        @ConditionalOnBooleanProperty(ENABLED)
        static class Configured {}

        @ConditionalOnBooleanProperty(name = ENABLED, matchIfMissing = true)
        @ConditionalOnClass(name = "io.micrometer.tracing.Tracer")
        static class Traced {}
    }
}
