package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.LockOperations;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.integration.DistributedLockRegistry;
import io.github.lockstarter.shedlock.DistributedLockProvider;
import io.github.lockstarter.web.LockProblemAdvice;
import net.javacrumbs.shedlock.core.LockProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.integration.support.locks.DistributedLock;
import org.springframework.integration.support.locks.LockRegistry;
import org.springframework.web.bind.annotation.RestControllerAdvice;

/** Locks for other libraries on the class path. */
@AutoConfiguration(after = DistributedLockAutoConfiguration.class)
@ConditionalOnBooleanProperty(name = "distributed-lock.enabled", matchIfMissing = true)
public final class LockIntegrationAutoConfiguration {

    /** Created by Spring. */
    public LockIntegrationAutoConfiguration() {}

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(LockProvider.class)
    @ConditionalOnSingleCandidate(LockOperations.class)
    static class ShedLockIntegration {

        @Bean
        @ConditionalOnMissingBean(LockProvider.class)
        DistributedLockProvider distributedLockProvider(LockOperations locks, DistributedLockProperties properties) {
            LockRequest any = LockRequest.of(DistributedLockProvider.NAME).named(DistributedLockProvider.NAME);
            return new DistributedLockProvider(
                    locks, properties.engineSettings().leaseOf(any));
        }
    }

    /** For Spring Integration 7: version 6 has no {@code DistributedLock}, and its interfaces differ. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(DistributedLock.class)
    @ConditionalOnSingleCandidate(LockOperations.class)
    static class SpringIntegration {

        @Bean
        @ConditionalOnMissingBean(LockRegistry.class)
        DistributedLockRegistry distributedLockRegistry(LockOperations locks) {
            return new DistributedLockRegistry(locks);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication
    @ConditionalOnClass(RestControllerAdvice.class)
    @ConditionalOnBooleanProperty(name = "distributed-lock.web.problem-details", matchIfMissing = true)
    static class WebResponses {

        @Bean
        @ConditionalOnMissingBean
        LockProblemAdvice distributedLockProblemAdvice(DistributedLockProperties properties) {
            return new LockProblemAdvice(properties.web().retryAfter());
        }
    }
}
