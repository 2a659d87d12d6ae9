package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.transaction.CommitGuard;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;
import org.springframework.transaction.ConfigurableTransactionManager;

/** Where the application may have transactions. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass(ConfigurableTransactionManager.class)
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
class LockTransactionConfiguration {

    /** No commit without the lock, unless the application declares that a loss is no failure. */
    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static CommitGuard distributedLockCommitGuard(ObjectProvider<DistributedLockProperties> properties) {
        return new CommitGuard(() -> properties.getObject().onLost());
    }
}
