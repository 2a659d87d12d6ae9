package io.github.lockstarter.autoconfigure.redlock;

import io.github.lockstarter.autoconfigure.ConditionalOnLockBackend;
import io.github.lockstarter.autoconfigure.ConditionalOnMissingLockBackend;
import io.github.lockstarter.autoconfigure.DistributedLockAutoConfiguration;
import io.github.lockstarter.autoconfigure.LockSettings;
import io.github.lockstarter.redlock.RedlockBackend;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;

/**
 * Keeps locks in a quorum of independent Redis servers, configured by {@code distributed-lock.redlock.*}. Inactive if
 * {@link DistributedLockAutoConfiguration} is excluded.
 */
@AutoConfiguration(after = DistributedLockAutoConfiguration.class)
@ConditionalOnBean(LockSettings.class)
@EnableConfigurationProperties(RedlockProperties.class)
public final class RedlockAutoConfiguration {

    /** Created by Spring. */
    public RedlockAutoConfiguration() {}

    @Bean
    @ConditionalOnLockBackend(RedlockProperties.NAME)
    @ConditionalOnMissingLockBackend
    RedlockNodes distributedLockRedlockNodes(
            LockSettings locks, RedlockProperties properties, ApplicationContext application) {
        return new RedlockNodes(properties, properties.nodeSettings(locks), application);
    }

    @Bean
    @ConditionalOnLockBackend(RedlockProperties.NAME)
    @ConditionalOnMissingLockBackend
    RedlockBackend distributedLockRedlockBackend(RedlockNodes nodes, LockSettings locks) {
        return new RedlockBackend(nodes.backends(), locks.longestLease());
    }

    @Bean
    @ConditionalOnLockBackend(RedlockProperties.NAME)
    @ConditionalOnBean(RedlockNodes.class)
    RedlockLockLifecycle distributedLockRedlockLifecycle(RedlockNodes nodes, RedlockBackend backend) {
        return new RedlockLockLifecycle(nodes.backends(), backend);
    }
}
