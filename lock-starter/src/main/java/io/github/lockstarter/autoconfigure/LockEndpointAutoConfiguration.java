package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.LockOperations;
import io.github.lockstarter.actuate.LocksEndpoint;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;

/** The actuator endpoint {@code locks}, where the application has the actuator and exposes it. */
@AutoConfiguration(after = DistributedLockAutoConfiguration.class)
@ConditionalOnClass(ConditionalOnAvailableEndpoint.class)
@ConditionalOnSingleCandidate(LockOperations.class)
public final class LockEndpointAutoConfiguration {

    /** Created by Spring. */
    public LockEndpointAutoConfiguration() {}

    @Bean
    @ConditionalOnMissingBean
    @ConditionalOnAvailableEndpoint
    LocksEndpoint locksEndpoint(LockOperations locks) {
        return new LocksEndpoint(locks);
    }
}
