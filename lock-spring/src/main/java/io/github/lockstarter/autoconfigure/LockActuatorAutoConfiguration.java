package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.LockAdmin;
import io.github.lockstarter.actuate.LockHealthIndicator;
import io.github.lockstarter.actuate.LocksEndpoint;
import java.util.Set;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.autoconfigure.endpoint.expose.EndpointExposure;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.AnyNestedCondition;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;

/**
 * The actuator endpoint {@code locks}, where the application exposes it; and the health {@code distributedLock}, where
 * the application has Boot's health of either line, unless {@code management.health.distributedlock.enabled} or
 * {@code management.health.defaults.enabled} is false.
 */
@AutoConfiguration(after = DistributedLockAutoConfiguration.class)
@ConditionalOnSingleCandidate(LockAdmin.class)
public final class LockActuatorAutoConfiguration {

    /** What makes the health's name: the bean's without its last word. */
    static final String HEALTH_BEAN = "distributedLockHealthContributor";

    /** Created by Spring. */
    public LockActuatorAutoConfiguration() {}

    /**
     * To which users the endpoint shows keys.
     *
     * @param showValues When to show the keys of locks, which may contain identifiers of people or orders.
     * @param roles Roles that make a user authorized to see keys. When empty, all authenticated users are.
     */
    @ConfigurationProperties("management.endpoint.locks")
    record EndpointProperties(
            @DefaultValue("never") Show showValues,
            @DefaultValue Set<String> roles) {}

    /** The endpoint. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(ConditionalOnAvailableEndpoint.class)
    @EnableConfigurationProperties(EndpointProperties.class)
    static class Exposed {

        @Bean
        @ConditionalOnMissingBean
        @ConditionalOnAvailableEndpoint(exposure = EndpointExposure.WEB)
        LocksEndpoint distributedLockEndpoint(
                LockAdmin locks,
                BeanFactory beans,
                DistributedLockProperties locksProperties,
                ApplicationEventPublisher events,
                EndpointProperties properties) {
            return new LocksEndpoint(
                    locks,
                    FurtherLocks.admins(locksProperties, beans),
                    events,
                    properties.showValues(),
                    properties.roles());
        }
    }

    /** The health. */
    @Configuration(proxyBeanMethods = false)
    @Conditional(HasHealth.class)
    @ConditionalOnMissingBean(name = HEALTH_BEAN)
    static class Health {

        /** Boot 4. */
        @Configuration(proxyBeanMethods = false)
        @ConditionalOnClass(name = "org.springframework.boot.health.contributor.HealthIndicator")
        static class OnBoot4 {

            @Bean(HEALTH_BEAN)
            LockHealthIndicator distributedLockHealthContributor(
                    LockAdmin locks, DistributedLockProperties properties, BeanFactory beans) {
                return new LockHealthIndicator(locks, FurtherLocks.admins(properties, beans));
            }
        }

        /** Boot 3. */
        @Configuration(proxyBeanMethods = false)
        @ConditionalOnClass(name = OlderLockHealthIndicator.INDICATOR)
        static class OnBoot3 {

            /** Without the type of the product, for which Spring then asks the factory. */
            @Bean(HEALTH_BEAN)
            static FactoryBean<?> distributedLockHealthContributor(BeanFactory beans) {
                return new OlderLockHealthIndicator(beans);
            }
        }
    }

    /** As Boot's own health indicators are switched, with annotations of another package in each line of Boot. */
    static final class HasHealth extends AnyNestedCondition {

        private static final String OWN = "management.health.distributedlock.enabled";

        HasHealth() {
            super(ConfigurationPhase.PARSE_CONFIGURATION);
        }

        @ConditionalOnBooleanProperty(OWN)
        static class Configured {}

        @ConditionalOnBooleanProperty(
                name = {OWN, "management.health.defaults.enabled"},
                matchIfMissing = true)
        static class Default {}
    }
}
