package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.LockOperations;
import io.github.lockstarter.integration.DistributedLockRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;
import org.springframework.integration.support.locks.DistributedLock;
import org.springframework.integration.support.locks.LockRegistry;

/**
 * The lock registry of an application that has Spring Integration 7 and declares none. The interfaces of Spring
 * Integration 6 differ, and have no {@code DistributedLock}.
 */
@AutoConfiguration(after = DistributedLockAutoConfiguration.class)
@ConditionalOnBooleanProperty(name = "distributed-lock.enabled", matchIfMissing = true)
@ConditionalOnClass(DistributedLock.class)
@ConditionalOnSingleCandidate(LockOperations.class)
public final class SpringIntegrationLockAutoConfiguration {

    /** Created by Spring. */
    public SpringIntegrationLockAutoConfiguration() {}

    @Bean
    @ConditionalOnMissingBean(LockRegistry.class)
    DistributedLockRegistry distributedLockRegistry(LockOperations locks) {
        return new DistributedLockRegistry(locks);
    }
}
