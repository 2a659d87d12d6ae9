package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.LockOperations;
import io.github.lockstarter.SkippedCallListener;
import io.github.lockstarter.aop.AdviceOrderCheck;
import io.github.lockstarter.aop.LockAdvisor;
import io.github.lockstarter.aop.LockedBeanCheck;
import io.github.lockstarter.aop.LockedMethods;
import java.util.function.Supplier;
import org.springframework.aop.config.AopConfigUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.util.function.SingletonSupplier;

/**
 * Static methods and providers: these beans exist before all others, and a bean that they injected could not be
 * proxied.
 */
@Configuration(proxyBeanMethods = false)
@Import(LockAnnotationConfiguration.AutoProxyRegistrar.class)
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

    /** A child context checks requests against the settings of the parent's engine. */
    @Bean
    @ConditionalOnMissingBean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static ConfiguredLocks distributedLockConfiguredLocks(
            ObjectProvider<DistributedLockProperties> properties,
            ObjectProvider<LockBackendOptions> backends,
            ObjectProvider<LockNames> otherNames) {
        return new ConfiguredLocks(properties, backends, otherNames);
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static LockedBeanCheck distributedLockBeanCheck(
            DefaultListableBeanFactory beans, LockedMethods methods, ConfiguredLocks configured) {
        return new LockedBeanCheck(beans, methods, configured);
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static AdviceOrderCheck distributedLockAdviceOrderCheck(
            ConfigurableListableBeanFactory beans, LockedMethods methods) {
        return new AdviceOrderCheck(beans, methods);
    }

    /**
     * Needed even if {@code spring.aop.auto=false}: annotated methods would run unlocked. Proxies classes as Boot does.
     */
    static final class AutoProxyRegistrar implements ImportBeanDefinitionRegistrar {

        private final Environment environment;

        AutoProxyRegistrar(Environment environment) {
            this.environment = environment;
        }

        @Override
        public void registerBeanDefinitions(AnnotationMetadata importing, BeanDefinitionRegistry registry) {
            AopConfigUtils.registerAutoProxyCreatorIfNecessary(registry);
            if (environment.getProperty("spring.aop.proxy-target-class", Boolean.class, true)) {
                AopConfigUtils.forceAutoProxyCreatorToUseClassProxying(registry);
            }
        }
    }
}
