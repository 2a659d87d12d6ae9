package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.LockAdmin;
import io.github.lockstarter.actuate.LockHealthIndicator;
import io.github.lockstarter.actuate.OlderLockHealthIndicator;
import java.util.Map;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.AnyNestedCondition;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.core.ResolvableType;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.util.ClassUtils;

/**
 * Health {@code distributedLock}, where the application has Boot's health of either line, unless
 * {@code management.health.distributedlock.enabled} or {@code management.health.defaults.enabled} is false.
 */
@AutoConfiguration(after = DistributedLockAutoConfiguration.class)
@Conditional(LockHealthAutoConfiguration.Enabled.class)
@ConditionalOnSingleCandidate(LockAdmin.class)
@Import({LockHealthAutoConfiguration.OnBoot4.class, LockHealthAutoConfiguration.OnBoot3.class})
public final class LockHealthAutoConfiguration {

    /** What makes the health's name: the bean's without its last word. */
    static final String BEAN = "distributedLockHealthContributor";

    /** Created by Spring. */
    public LockHealthAutoConfiguration() {}

    /** As Boot's own health indicators are switched, with annotations of another package in each line of Boot. */
    static final class Enabled extends AnyNestedCondition {

        private static final String OWN = "management.health.distributedlock.enabled";

        Enabled() {
            super(ConfigurationPhase.PARSE_CONFIGURATION);
        }

        @ConditionalOnBooleanProperty(OWN)
        static class Configured {}

        @ConditionalOnBooleanProperty(
                name = {OWN, "management.health.defaults.enabled"},
                matchIfMissing = true)
        static class Default {}
    }

    /** Boot 4. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(name = "org.springframework.boot.health.contributor.HealthIndicator")
    static class OnBoot4 {

        @Bean(BEAN)
        @ConditionalOnMissingBean(name = BEAN)
        @ConditionalOnBean(LockAdmin.class)
        LockHealthIndicator distributedLockHealthContributor(
                LockAdmin locks, DistributedLockProperties properties, BeanFactory beans) {
            return new LockHealthIndicator(locks, FurtherLocks.admins(properties, beans));
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

        private final ClassLoader loader;

        OlderIndicatorRegistrar(ClassLoader loader) {
            this.loader = loader;
        }

        @Override
        public void registerBeanDefinitions(AnnotationMetadata importing, BeanDefinitionRegistry registry) {
            registry.registerBeanDefinition(
                    BEAN, definition(ClassUtils.resolveClassName(OlderLockHealthIndicator.INDICATOR, loader)));
        }

        /** Made by a factory that gets the interface as an argument: a native image could not contain a supplier. */
        static RootBeanDefinition definition(Class<?> indicator) {
            RootBeanDefinition definition = new RootBeanDefinition(OlderIndicatorFactory.class);
            definition.setAttribute(FactoryBean.OBJECT_TYPE_ATTRIBUTE, indicator);
            definition.setTargetType(ResolvableType.forClassWithGenerics(FactoryBean.class, indicator));
            definition.getConstructorArgumentValues().addIndexedArgumentValue(0, indicator);
            definition.setAutowireMode(AbstractBeanDefinition.AUTOWIRE_CONSTRUCTOR);
            return definition;
        }
    }

    /** Makes the indicator of Boot 3. */
    static final class OlderIndicatorFactory implements FactoryBean<Object> {

        private final Class<?> indicator;
        private final LockAdmin locks;
        private final Map<String, LockAdmin> furtherLocks;

        OlderIndicatorFactory(
                Class<?> indicator, LockAdmin locks, DistributedLockProperties properties, BeanFactory beans) {
            this.indicator = indicator;
            this.locks = locks;
            this.furtherLocks = FurtherLocks.admins(properties, beans);
        }

        @Override
        public Object getObject() throws ClassNotFoundException {
            return OlderLockHealthIndicator.of(locks, furtherLocks, indicator);
        }

        @Override
        public Class<?> getObjectType() {
            return indicator;
        }
    }
}
