package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.LockOperations;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.shedlock.DistributedLockProvider;
import net.javacrumbs.shedlock.core.LockProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;

/** The lock provider of an application that has ShedLock and declares none. */
@AutoConfiguration(after = DistributedLockAutoConfiguration.class)
@ConditionalOnBooleanProperty(name = "distributed-lock.enabled", matchIfMissing = true)
@ConditionalOnClass(LockProvider.class)
@ConditionalOnSingleCandidate(LockOperations.class)
public final class ShedLockAutoConfiguration {

    /** Created by Spring. */
    public ShedLockAutoConfiguration() {}

    @Bean
    @ConditionalOnMissingBean(LockProvider.class)
    DistributedLockProvider distributedLockProvider(LockOperations locks, DistributedLockProperties properties) {
        LockRequest any = LockRequest.of(DistributedLockProvider.NAME).named(DistributedLockProvider.NAME);
        return new DistributedLockProvider(locks, properties.engineSettings().leaseOf(any));
    }
}
