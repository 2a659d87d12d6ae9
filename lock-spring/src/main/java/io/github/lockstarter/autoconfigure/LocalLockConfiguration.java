package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.local.LocalLockBackend;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Locks in this JVM, only where the application configures them. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnLockBackend(LockBackendOption.LOCAL)
class LocalLockConfiguration {

    private static final Logger log = LoggerFactory.getLogger(LocalLockConfiguration.class);

    @Bean
    @ConditionalOnMissingLockBackend
    LocalLockBackend distributedLockLocalBackend() {
        log.warn("distributed-lock.backend is 'local': locks exclude the threads of this JVM and no other instance. "
                + "Use it for tests only");
        return new LocalLockBackend();
    }
}
