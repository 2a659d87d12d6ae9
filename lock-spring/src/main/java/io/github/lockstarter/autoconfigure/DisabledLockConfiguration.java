package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.InTransaction;
import io.github.lockstarter.aop.LockAdvisor;
import io.github.lockstarter.aop.LockedBeanCheck;
import io.github.lockstarter.aop.LockedMethods;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Role;

/**
 * Rejects annotated methods if no configuration declares the advisor: they would run without locks. Processed after all
 * configurations that declare one, and even if these are excluded.
 */
@AutoConfiguration(after = DistributedLockAutoConfiguration.class)
@ConditionalOnMissingBean(value = LockAdvisor.class, search = SearchStrategy.CURRENT)
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
class DisabledLockConfiguration {

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static LockedBeanCheck distributedLockBeanCheck(DefaultListableBeanFactory beans) {
        LockedMethods methods = new LockedMethods(beans::resolveEmbeddedValue, () -> InTransaction.WARN);
        return new LockedBeanCheck(beans, methods, (method, request, keys, locks) -> {
            throw new IllegalArgumentException(
                    "distributed-lock.enabled is not true, or DistributedLockAutoConfiguration is excluded, and the "
                            + "method would run unlocked. Enable it, and build with it where the application is "
                            + "processed ahead of time; for tests without a store, with "
                            + "distributed-lock.backend=local");
        });
    }
}
