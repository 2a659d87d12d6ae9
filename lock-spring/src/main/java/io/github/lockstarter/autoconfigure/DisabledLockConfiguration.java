package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.InTransaction;
import io.github.lockstarter.aop.LockAdvisor;
import io.github.lockstarter.aop.LockedBeanCheck;
import io.github.lockstarter.aop.LockedMethods;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;

/**
 * Rejects annotated methods if no configuration declares the advisor: they would run without locks. Processed after all
 * configurations that declare one.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnMissingBean(value = LockAdvisor.class, search = SearchStrategy.CURRENT)
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
class DisabledLockConfiguration {

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static LockedBeanCheck distributedLockBeanCheck(ConfigurableListableBeanFactory beans) {
        LockedMethods methods = new LockedMethods(beans::resolveEmbeddedValue, () -> InTransaction.WARN);
        return new LockedBeanCheck(beans, methods, (method, request, locks) -> {
            throw new IllegalArgumentException(
                    "distributed-lock.enabled is not true, and the method would run unlocked. Set it to true, and "
                            + "build with it where the application is processed ahead of time; for tests without a "
                            + "store, with distributed-lock.backend=local");
        });
    }
}
