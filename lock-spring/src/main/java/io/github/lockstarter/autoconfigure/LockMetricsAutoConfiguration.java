package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.aop.SkippedCallListener;
import io.github.lockstarter.observe.listener.LockListeners;
import io.github.lockstarter.observe.meter.LockMetrics;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.Map;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;

/**
 * Meters for the locks of an application that has a {@code MeterRegistry}. The listener is found by the engine whenever
 * that is created; {@code management.metrics.enable.distributed.lock=false} switches the meters off.
 */
@AutoConfiguration(
        afterName = {
            "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration",
            "org.springframework.boot.actuate.autoconfigure.metrics.CompositeMeterRegistryAutoConfiguration"
        })
@ConditionalOnBooleanProperty(name = "distributed-lock.enabled", matchIfMissing = true)
@ConditionalOnClass(MeterRegistry.class)
@ConditionalOnSingleCandidate(MeterRegistry.class)
public final class LockMetricsAutoConfiguration {

    /** Created by Spring. */
    public LockMetricsAutoConfiguration() {}

    @Bean
    @ConditionalOnMissingBean
    LockMetrics distributedLockMetrics(MeterRegistry registry) {
        return new LockMetrics(registry);
    }

    @Bean
    SkippedCallListener distributedLockSkippedCallMeter(LockMetrics metrics) {
        return (name, outcome) -> {
            if (outcome == SkippedCallListener.Outcome.FALLBACK) {
                metrics.fellBack(name);
            } else {
                metrics.skipped(name);
            }
        };
    }

    /** Bound by Boot when all beans are there: the engine's listeners are not created for its sake. */
    @Bean
    MeterBinder distributedLockListenerMeters(ObjectProvider<LockListeners> listeners) {
        return LockMetrics.ofListeners(() -> {
            LockListeners present = listeners.getIfAvailable();
            return present == null ? Map.of() : present.dropped();
        });
    }
}
