package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.LockOperations;
import io.github.lockstarter.reactive.ReactiveLockOperations;
import io.github.lockstarter.reactive.ReactiveLockTemplate;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import reactor.core.publisher.Flux;

/** As the election, none for several {@link LockOperations} of the application without a primary one. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass(Flux.class)
@ConditionalOnSingleCandidate(LockOperations.class)
class ReactiveLockConfiguration {

    @Bean
    @ConditionalOnMissingBean(ReactiveLockOperations.class)
    ReactiveLockTemplate distributedLockReactiveTemplate(LockOperations locks) {
        return new ReactiveLockTemplate(locks);
    }
}
