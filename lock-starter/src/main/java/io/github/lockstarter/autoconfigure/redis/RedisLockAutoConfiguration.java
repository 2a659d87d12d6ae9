package io.github.lockstarter.autoconfigure.redis;

import io.github.lockstarter.autoconfigure.DistributedLockAutoConfiguration;
import io.github.lockstarter.autoconfigure.LockBackendOption;
import io.github.lockstarter.autoconfigure.LockSettings;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Role;

/**
 * Locks in Redis, as {@code distributed-lock.redis.*} and {@code distributed-lock.redlock.*} say: in the one of the
 * application's connection factory, or in a quorum of independent servers. Makes nothing where {@link
 * DistributedLockAutoConfiguration} is excluded.
 */
@AutoConfiguration(
        after = DistributedLockAutoConfiguration.class,
        afterName = {
            "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration",
            "org.springframework.boot.autoconfigure.data.redis.RedisAutoConfiguration"
        })
@ConditionalOnBean(LockSettings.class)
@EnableConfigurationProperties({RedisLockProperties.class, RedlockProperties.class})
@Import({RedisLockConfiguration.class, RedlockLockConfiguration.class})
public final class RedisLockAutoConfiguration {

    /** Created by Spring. */
    public RedisLockAutoConfiguration() {}

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static LockBackendOption distributedLockRedisOption(RedisLockProperties properties) {
        return new RedisOption(properties);
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static LockBackendOption distributedLockRedlockOption(RedlockProperties properties) {
        return new RedlockOption(properties);
    }
}
