package io.github.lockstarter.autoconfigure.redis;

import io.github.lockstarter.aop.LockStartException;
import io.github.lockstarter.autoconfigure.ConditionalOnLockBackend;
import io.github.lockstarter.autoconfigure.ConditionalOnMissingLockBackend;
import io.github.lockstarter.autoconfigure.DistributedLockAutoConfiguration;
import io.github.lockstarter.autoconfigure.LockSettings;
import io.github.lockstarter.redis.RedisLockBackend;
import io.github.lockstarter.redis.settings.RedisSettings;
import io.github.lockstarter.spi.LockBackend;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingClass;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Keeps locks in the Redis of the application's connection factory, configured by {@code distributed-lock.redis.*}.
 * Inactive if {@link DistributedLockAutoConfiguration} is excluded.
 */
@AutoConfiguration(
        after = DistributedLockAutoConfiguration.class,
        afterName = {
            "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration",
            "org.springframework.boot.autoconfigure.data.redis.RedisAutoConfiguration"
        })
@ConditionalOnBean(LockSettings.class)
@EnableConfigurationProperties(RedisLockProperties.class)
public final class RedisLockAutoConfiguration {

    private static final String LETTUCE = "io.lettuce.core.RedisClient";

    /** Created by Spring. */
    public RedisLockAutoConfiguration() {}

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnLockBackend(RedisLockProperties.NAME)
    @ConditionalOnClass(name = LETTUCE)
    static class InOneRedis {

        @Bean
        @ConditionalOnMissingLockBackend
        RedisLockBackend distributedLockRedisBackend(
                LockSettings locks,
                RedisLockProperties properties,
                ApplicationContext application,
                ObjectProvider<RedisConnectionFactory> all,
                @DistributedLockRedisConnectionFactory ObjectProvider<RedisConnectionFactory> marked) {
            RedisSettings settings = properties.settings(locks);
            RedisConnectionFactory factory = ApplicationRedis.factoryForLocks(all, marked);
            return new RedisLockBackend(
                    SpringRedisConnector.of(ApplicationRedis.of(factory, application), settings), settings);
        }

        @Bean
        @ConditionalOnBean(RedisLockBackend.class)
        RedisLockLifecycle distributedLockRedisLifecycle(RedisLockBackend backend, RedisLockProperties properties) {
            return new RedisLockLifecycle(backend, properties.requiredAtStart());
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnMissingClass(LETTUCE)
    static class WithoutLettuce {

        @Bean
        @ConditionalOnLockBackend(RedisLockProperties.NAME)
        @ConditionalOnMissingLockBackend
        LockBackend distributedLockRedisBackend() {
            throw new LockStartException(
                    "Locks are kept in Redis, but its client Lettuce is not on the class path",
                    "Add io.lettuce:lettuce-core. An application that uses Jedis keeps it with"
                            + " spring.data.redis.client-type=jedis. For tests without Redis set"
                            + " distributed-lock.backend=local");
        }
    }
}
