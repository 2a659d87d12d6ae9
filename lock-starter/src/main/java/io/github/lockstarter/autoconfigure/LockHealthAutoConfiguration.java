package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.LockOversight;
import io.github.lockstarter.actuate.LockHealthIndicator;
import io.github.lockstarter.actuate.OlderLockHealthIndicator;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.util.ClassUtils;

/**
 * Health {@code distributedLock}, where the application has Boot's health of either line, unless
 * {@code management.health.distributedlock.enabled} or {@code management.health.defaults.enabled} is false.
 */
@AutoConfiguration(after = DistributedLockAutoConfiguration.class)
@Conditional(LockConditions.HealthEnabled.class)
@ConditionalOnSingleCandidate(LockOversight.class)
@Import({LockHealthAutoConfiguration.OnBoot4.class, LockHealthAutoConfiguration.OnBoot3.class})
public final class LockHealthAutoConfiguration {

    /** What makes the health's name: the bean's without its last word. */
    static final String BEAN = "distributedLockHealthContributor";

    /** Created by Spring. */
    public LockHealthAutoConfiguration() {}

    /** Boot 4. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(name = "org.springframework.boot.health.contributor.HealthIndicator")
    static class OnBoot4 {

        @Bean(BEAN)
        @ConditionalOnMissingBean(name = BEAN)
        @ConditionalOnBean(LockOversight.class)
        LockHealthIndicator distributedLockHealthContributor(LockOversight locks) {
            return new LockHealthIndicator(locks);
        }
    }

    /** Boot 3. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(name = OlderLockHealthIndicator.INDICATOR)
    @ConditionalOnMissingBean(name = BEAN)
    @Import(OlderIndicatorRegistrar.class)
    static class OnBoot3 {}

    /** Declares the bean under the interface that Boot 3 looks for, which no method of ours can name. */
    static final class OlderIndicatorRegistrar implements ImportBeanDefinitionRegistrar {

        private final BeanFactory beans;
        private final ClassLoader loader;

        OlderIndicatorRegistrar(BeanFactory beans, ClassLoader loader) {
            this.beans = beans;
            this.loader = loader;
        }

        @Override
        public void registerBeanDefinitions(AnnotationMetadata importing, BeanDefinitionRegistry registry) {
            register(registry, ClassUtils.resolveClassName(OlderLockHealthIndicator.INDICATOR, loader));
        }

        @SuppressWarnings("unchecked") // the supplier gives what the definition says: a proxy of that interface
        private void register(BeanDefinitionRegistry registry, Class<?> indicator) {
            RootBeanDefinition definition = new RootBeanDefinition((Class<Object>) indicator, () -> {
                try {
                    return OlderLockHealthIndicator.of(beans.getBean(LockOversight.class), indicator);
                } catch (ClassNotFoundException e) {
                    throw new IllegalStateException("Spring Boot's health is incomplete on the class path", e);
                }
            });
            registry.registerBeanDefinition(BEAN, definition);
        }
    }
}
