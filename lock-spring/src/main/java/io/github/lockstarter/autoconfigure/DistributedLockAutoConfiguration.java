package io.github.lockstarter.autoconfigure;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;

/**
 * Distributed locks for the application: engine, {@link io.github.lockstarter.LockTemplate} and the
 * {@link io.github.lockstarter.DistributedLock} annotation, as {@code distributed-lock.*} says, over the backend that
 * the auto-configuration of a store declares. Beans of its own types that the application declares replace those given
 * here.
 */
@AutoConfiguration
@EnableConfigurationProperties(DistributedLockProperties.class)
@Import(DisabledLockConfiguration.class)
public final class DistributedLockAutoConfiguration {

    /** Name of the bean that checks the configuration when it is created. */
    static final String OPTIONS = "distributedLockBackendOptions";

    /** Created by Spring. */
    public DistributedLockAutoConfiguration() {}

    @Bean(OPTIONS)
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static LockBackendOptions distributedLockBackendOptions(
            DistributedLockProperties properties,
            ObjectProvider<LockBackendOption> options,
            Environment environment,
            ConfigurableListableBeanFactory beans) {
        return new LockBackendOptions(properties, options.stream(), environment, beans);
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static LockBackendOption distributedLockLocalOption() {
        return () -> LockBackendOption.LOCAL;
    }

    /** What an application has unless it disables its locks. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnBooleanProperty(name = "distributed-lock.enabled", matchIfMissing = true)
    @Import({
        LocalLockConfiguration.class,
        LockEngineConfiguration.class,
        ReactiveLockConfiguration.class,
        LockAnnotationConfiguration.class,
        LockTransactionConfiguration.class
    })
    static class Enabled {

        /** The names are read when the application starts, also where it was built ahead of time. */
        @Bean
        @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
        static SingleLoadCaches distributedLockSingleLoadCaches(
                Environment environment, ConfigurableListableBeanFactory beans) {
            return new SingleLoadCaches(LockConditions.cacheNames(environment), beans);
        }
    }
}
