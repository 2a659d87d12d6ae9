package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.web.LockProblemAdvice;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.web.bind.annotation.RestControllerAdvice;

/** HTTP responses for lock exceptions. */
@AutoConfiguration(after = DistributedLockAutoConfiguration.class)
@ConditionalOnWebApplication
@ConditionalOnClass(RestControllerAdvice.class)
@ConditionalOnBooleanProperty(
        name = {"distributed-lock.enabled", "distributed-lock.web.problem-details"},
        matchIfMissing = true)
public final class LockWebAutoConfiguration {

    /** Created by Spring. */
    public LockWebAutoConfiguration() {}

    @Bean
    @ConditionalOnMissingBean
    LockProblemAdvice distributedLockProblemAdvice(DistributedLockProperties properties) {
        return new LockProblemAdvice(properties.web().retryAfter());
    }
}
