package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.LockOperations;
import io.github.lockstarter.reactive.ReactiveLockOperations;
import io.github.lockstarter.reactive.ReactiveLockTemplate;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import reactor.core.publisher.Flux;

/** Locks around publishers, where the application has Reactor. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass(Flux.class)
class ReactiveLockConfiguration {

    @Bean
    @ConditionalOnMissingBean(ReactiveLockOperations.class)
    ReactiveLockTemplate distributedLockReactiveTemplate(LockOperations locks) {
        return new ReactiveLockTemplate(locks);
    }
}
