package io.github.lockstarter.autoconfigure;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Import;

/**
 * Distributed locks for the application: backend, engine, {@link io.github.lockstarter.LockTemplate} and the
 * {@link io.github.lockstarter.DistributedLock} annotation, as {@code distributed-lock.*} says. Beans of its own types
 * that the application declares replace those given here.
 */
@AutoConfiguration(
        afterName = {
            "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration",
            "org.springframework.boot.autoconfigure.data.redis.RedisAutoConfiguration"
        })
@EnableConfigurationProperties(DistributedLockProperties.class)
@Import({
    UnknownPropertyCheck.class,
    RedisLockConfiguration.class,
    RedlockLockConfiguration.class,
    RoutedLockConfiguration.class,
    LocalLockConfiguration.class,
    LockEngineConfiguration.class,
    LockAnnotationConfiguration.class,
    CommitGuardConfiguration.class,
    DisabledLockConfiguration.class
})
public final class DistributedLockAutoConfiguration {

    /** Created by Spring. */
    public DistributedLockAutoConfiguration() {}
}
