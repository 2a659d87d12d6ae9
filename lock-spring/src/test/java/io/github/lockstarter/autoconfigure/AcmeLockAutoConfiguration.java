package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.LockTerms;
import io.github.lockstarter.local.LocalLockBackend;
import java.time.Duration;
import java.util.List;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.context.annotation.Bean;

/** The declaration by which another module makes its store a value of {@code distributed-lock.backend}. */
@AutoConfiguration(after = DistributedLockAutoConfiguration.class)
@ConditionalOnBean(LockSettings.class)
@EnableConfigurationProperties(AcmeLockAutoConfiguration.AcmeLockProperties.class)
class AcmeLockAutoConfiguration {

    static final String NAME = "acme";

    @ConfigurationProperties(prefix = "acme-lock", ignoreUnknownFields = false)
    record AcmeLockProperties(
            @DefaultValue("1s") Duration commandTimeout,
            @DefaultValue List<String> servers) {}

    /** Has rules for the configuration and for terms. */
    record AcmeOption(AcmeLockProperties properties) implements LockBackendOption {

        @Override
        public String name() {
            return NAME;
        }

        @Override
        public void checkConfiguration(LockSettings locks) {
            if (properties.commandTimeout().compareTo(locks.lease()) > 0) {
                throw new IllegalArgumentException("acme-lock.command-timeout is above the lease");
            }
        }

        @Override
        public void checkTerms(LockTerms terms, String key) {
            if (terms.lease().orElse(Duration.ZERO).toMillis() == 999) {
                throw new IllegalArgumentException("the lease of lock '" + key + "' cannot be kept in acme");
            }
        }
    }

    @Bean
    LockBackendOption distributedLockAcmeOption(AcmeLockProperties properties) {
        return new AcmeOption(properties);
    }

    @Bean
    @ConditionalOnLockBackend(NAME)
    @ConditionalOnMissingLockBackend
    LocalLockBackend distributedLockAcmeBackend() {
        return new LocalLockBackend();
    }
}
