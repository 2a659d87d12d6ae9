package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.engine.LockEngine;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;

/** Some locks in one store and some in another: each command goes to the backend of its key. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnMissingBean(LockEngine.class)
@Conditional(LockConditions.SeveralBackends.class)
class RoutedLockConfiguration {

    /** Reserved: no store has this name. */
    static final String NAME = "routed";

    @Bean(destroyMethod = "")
    @Primary
    @ConditionalOnMissingLockBackend
    RoutedBackend distributedLockRoutedBackend(LockBackendOptions options, BeanFactory beans) {
        return options.routed(beans);
    }
}
