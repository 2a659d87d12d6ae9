package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.LockOperations;
import io.github.lockstarter.aop.LockAdvisor;
import io.github.lockstarter.aop.LockedBeanCheck;
import io.github.lockstarter.aop.LockedMethods;
import io.github.lockstarter.aop.SkippedCallListener;
import java.util.function.Supplier;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Role;
import org.springframework.util.function.SingletonSupplier;

/**
 * The annotation. These beans exist before all others, hence static methods and nothing but providers: whatever they
 * asked for at once could not be proxied itself.
 */
@Configuration(proxyBeanMethods = false)
@Import(AutoProxyRegistrar.class)
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
class LockAnnotationConfiguration {

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static LockedMethods distributedLockMethods(
            ConfigurableListableBeanFactory beans, ObjectProvider<DistributedLockProperties> properties) {
        return new LockedMethods(
                beans::resolveEmbeddedValue, () -> properties.getObject().inTransaction());
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static LockAdvisor distributedLockAdvisor(
            LockedMethods methods,
            ObjectProvider<LockOperations> operations,
            BeanFactory beans,
            ObjectProvider<SkippedCallListener> skippedCalls,
            ObjectProvider<DistributedLockProperties> properties) {
        Supplier<LockOperations> byType = SingletonSupplier.of(operations::getObject);
        return new LockAdvisor(
                methods,
                locks -> locks.isBlank() ? byType.get() : beans.getBean(locks, LockOperations.class),
                (name, outcome) -> skippedCalls.forEach(listener -> listener.skipped(name, outcome)),
                () -> properties.getObject().order());
    }

    /** A child context has its requests checked against the settings of the engine that it uses. */
    @Bean
    @ConditionalOnMissingBean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static ConfiguredLocks distributedLockConfiguredLocks(
            ObjectProvider<DistributedLockProperties> properties, ObjectProvider<LockBackendOptions> backends) {
        return new ConfiguredLocks(properties, backends);
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static LockedBeanCheck distributedLockBeanCheck(
            ConfigurableListableBeanFactory beans, LockedMethods methods, ConfiguredLocks configured) {
        return new LockedBeanCheck(beans, methods, configured);
    }
}
