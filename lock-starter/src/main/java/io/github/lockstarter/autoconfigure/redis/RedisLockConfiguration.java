package io.github.lockstarter.autoconfigure.redis;

import io.github.lockstarter.autoconfigure.ConditionalOnLockBackend;
import io.github.lockstarter.autoconfigure.ConditionalOnMissingLockBackend;
import io.github.lockstarter.autoconfigure.LockSettings;
import io.github.lockstarter.redis.RedisLockBackend;
import io.github.lockstarter.redis.connector.RedisUnavailableException;
import io.github.lockstarter.redis.settings.RedisSettings;
import io.github.lockstarter.spi.LockBackend;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingClass;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/** Locks in the Redis of the application's connection factory, unless another backend is chosen. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnLockBackend(RedisOption.NAME)
class RedisLockConfiguration {

    /** Locks through Lettuce. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(name = "io.lettuce.core.RedisClient")
    static class WithLettuce {

        private final ApplicationConnectionFactories factories;

        WithLettuce(
                ObjectProvider<RedisConnectionFactory> all,
                @DistributedLockRedisConnectionFactory ObjectProvider<RedisConnectionFactory> marked) {
            this.factories = new ApplicationConnectionFactories(all, marked);
        }

        @Bean
        @ConditionalOnMissingLockBackend
        RedisLockBackend distributedLockRedisBackend(
                LockSettings locks, RedisLockProperties properties, ApplicationContext application) {
            RedisSettings settings = properties.settings(locks);
            ApplicationRedis redis = ApplicationRedis.of(factories.forLocks(), application);
            return new RedisLockBackend(SpringRedisConnector.of(redis, settings), settings);
        }

        @Bean
        @ConditionalOnBean(RedisLockBackend.class)
        RedisLockLifecycle distributedLockRedisLifecycle(RedisLockBackend backend, RedisLockProperties properties) {
            return new RedisLockLifecycle(backend, properties.requiredAtStart());
        }
    }

    /** Says that locks need Lettuce. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnMissingClass("io.lettuce.core.RedisClient")
    static class WithoutLettuce {

        @Bean
        @ConditionalOnMissingLockBackend
        LockBackend distributedLockRedisBackend() {
            throw new RedisUnavailableException(
                    "Locks are kept in Redis, but its client Lettuce is not on the class path",
                    "Add io.lettuce:lettuce-core. An application that uses Jedis keeps it with"
                            + " spring.data.redis.client-type=jedis. For tests without Redis set"
                            + " distributed-lock.backend=local");
        }
    }
}
