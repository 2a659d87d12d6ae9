package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.local.LocalLockBackend;
import io.github.lockstarter.spi.LockBackend;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;

/** Locks in this JVM, only where the application configures them. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnEnabledLocks
@ConditionalOnOwnLocks
@Conditional(LockConditions.LocalBackend.class)
class LocalLockConfiguration {

    private static final Logger log = LoggerFactory.getLogger(LocalLockConfiguration.class);

    @Bean
    @ConditionalOnMissingBean(LockBackend.class)
    LocalLockBackend distributedLockLocalBackend() {
        log.warn("distributed-lock.backend is 'local': locks exclude the threads of this JVM and no other instance. "
                + "Use it for tests only");
        return new LocalLockBackend();
    }
}
