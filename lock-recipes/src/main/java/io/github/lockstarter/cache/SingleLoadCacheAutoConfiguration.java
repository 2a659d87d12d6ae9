package io.github.lockstarter.cache;

import io.github.lockstarter.autoconfigure.DistributedLockAutoConfiguration;
import io.github.lockstarter.autoconfigure.LockSettings;
import io.github.lockstarter.observe.LockMetrics;
import io.github.lockstarter.observe.LockObservabilityAutoConfiguration;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Set;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;

/**
 * Caches whose missing values one instance loads, configured by {@code distributed-lock.cache.*}. Inactive where {@link
 * DistributedLockAutoConfiguration} is excluded.
 */
@AutoConfiguration(after = {DistributedLockAutoConfiguration.class, LockObservabilityAutoConfiguration.class})
@ConditionalOnBean(LockSettings.class)
@EnableConfigurationProperties(CacheProperties.class)
public final class SingleLoadCacheAutoConfiguration {

    /** Created by Spring. */
    public SingleLoadCacheAutoConfiguration() {}

    /** Not from the bound properties: their bean would be created before all post-processors exist. */
    @Bean
    @ConditionalOnBooleanProperty(name = "distributed-lock.enabled", matchIfMissing = true)
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static SingleLoadCaches distributedLockSingleLoadCaches(
            Environment environment, ConfigurableListableBeanFactory beans) {
        return new SingleLoadCaches(names(environment), beans);
    }

    /** None if the value is unreadable: the binding reports it. */
    private static Set<String> names(Environment environment) {
        try {
            return Binder.get(environment)
                    .bind(CacheProperties.PREFIX + ".names", Bindable.setOf(String.class))
                    .orElse(Set.of());
        } catch (BindException e) {
            return Set.of();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(MeterRegistry.class)
    @ConditionalOnSingleCandidate(MeterRegistry.class)
    @ConditionalOnBean(LockMetrics.class)
    static class Metered {

        @Bean
        CacheMetrics distributedLockCacheMetrics(MeterRegistry registry) {
            return new CacheMetrics(registry);
        }
    }
}
