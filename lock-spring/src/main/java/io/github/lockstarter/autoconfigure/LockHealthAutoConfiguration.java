package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.LockAdmin;
import io.github.lockstarter.actuate.LockHealthIndicator;
import org.springframework.beans.factory.BeanFactory;
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
    @Import(OlderLockHealthIndicator.Registrar.class)
    static class OnBoot3 {}
}
