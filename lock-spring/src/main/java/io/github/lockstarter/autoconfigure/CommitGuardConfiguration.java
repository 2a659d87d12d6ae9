package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.aop.CommitGuard;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;
import org.springframework.transaction.ConfigurableTransactionManager;

/** No commit without the lock, unless the application declares that a loss is no failure. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnEnabledLocks
@ConditionalOnClass(ConfigurableTransactionManager.class)
@Conditional(LockConditions.LossIsFailure.class)
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
class CommitGuardConfiguration {

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static CommitGuard distributedLockCommitGuard() {
        return new CommitGuard();
    }
}
