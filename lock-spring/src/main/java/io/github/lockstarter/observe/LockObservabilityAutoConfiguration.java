package io.github.lockstarter.observe;

import io.github.lockstarter.LockAdmin;
import io.github.lockstarter.engine.LockEngine;
import io.github.lockstarter.observe.LockObservation.KeyDisplay;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.observation.ObservationRegistry;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.AnyNestedCondition;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;
import org.springframework.util.function.SingletonSupplier;

/** Meters with a {@code MeterRegistry}, observations with a tracer, and the MDC if configured. */
@AutoConfiguration(
        afterName = {
            "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration",
            "org.springframework.boot.actuate.autoconfigure.metrics.CompositeMeterRegistryAutoConfiguration",
            "org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration",
            "org.springframework.boot.actuate.autoconfigure.observation.ObservationAutoConfiguration"
        })
@EnableConfigurationProperties(LockObservabilityAutoConfiguration.ObservationProperties.class)
public final class LockObservabilityAutoConfiguration {

    /** Created by Spring. */
    public LockObservabilityAutoConfiguration() {}

    /**
     * Observations, which a tracer turns into spans.
     *
     * @param enabled Whether acquisitions and locked sections are observed. Defaults to true with Micrometer Tracing on
     *     the class path.
     * @param key How spans show the lock's key.
     */
    @ConfigurationProperties(prefix = "distributed-lock.observation", ignoreUnknownFields = false)
    record ObservationProperties(
            @Nullable Boolean enabled,
            @DefaultValue("hashed") KeyDisplay key) {}

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnBooleanProperty(name = "distributed-lock.enabled", matchIfMissing = true)
    static class Enabled {

        @Bean
        @ConditionalOnMissingBean
        @ConditionalOnBooleanProperty("distributed-lock.log.mdc")
        @Order(2)
        LockMdc distributedLockMdc() {
            return new LockMdc();
        }

        @Configuration(proxyBeanMethods = false)
        @ConditionalOnClass(MeterRegistry.class)
        @ConditionalOnSingleCandidate(MeterRegistry.class)
        static class Metered {

            @Bean
            @ConditionalOnMissingBean
            LockMetrics distributedLockMetrics(MeterRegistry registry, ListableBeanFactory beans) {
                SingletonSupplier<List<LockAdmin>> stores =
                        SingletonSupplier.of(() -> beans.getBeansOfType(LockEngine.class).values().stream()
                                .map(LockEngine::admin)
                                .toList());
                return new LockMetrics(registry, stores::obtain);
            }

            /** Boot binds it when all beans exist, so it does not create the engine's listeners early. */
            @Bean
            MeterBinder distributedLockListenerMeters(ObjectProvider<LockListeners> listeners) {
                return LockMetrics.ofListeners(() ->
                        listeners.stream().findAny().map(LockListeners::dropped).orElse(Map.of()));
            }
        }

        @Configuration(proxyBeanMethods = false)
        @ConditionalOnClass(ObservationRegistry.class)
        @ConditionalOnSingleCandidate(ObservationRegistry.class)
        @Conditional(IsObserved.class)
        static class Observed {

            @Bean
            @ConditionalOnMissingBean
            @Order(1)
            LockObservations distributedLockObservations(
                    ObservationRegistry registry, ObservationProperties properties) {
                return new LockObservations(registry, properties.key());
            }
        }
    }

    /** Without a tracer, observations would repeat the meters at a higher cost. */
    static final class IsObserved extends AnyNestedCondition {

        private static final String ENABLED = "distributed-lock.observation.enabled";

        IsObserved() {
            super(ConfigurationPhase.PARSE_CONFIGURATION);
        }

        @ConditionalOnBooleanProperty(ENABLED)
        static class Configured {}

        @ConditionalOnBooleanProperty(name = ENABLED, matchIfMissing = true)
        @ConditionalOnClass(name = "io.micrometer.tracing.Tracer")
        static class Traced {}
    }
}
