package io.github.lockstarter.autoconfigure.redis;

import io.github.lockstarter.aop.LockStartException;
import io.github.lockstarter.autoconfigure.ConditionalOnLockBackend;
import io.github.lockstarter.autoconfigure.ConditionalOnMissingLockBackend;
import io.github.lockstarter.autoconfigure.DistributedLockAutoConfiguration;
import io.github.lockstarter.autoconfigure.LockSettings;
import io.github.lockstarter.autoconfigure.StoreCheck;
import io.github.lockstarter.redis.RedisLockBackend;
import io.github.lockstarter.redis.connector.RedisUnavailableException;
import io.github.lockstarter.redis.connector.SeveralMastersException;
import io.github.lockstarter.redis.settings.RedisSettings;
import io.github.lockstarter.spi.LockBackend;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingClass;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

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

    private static final Logger log = LoggerFactory.getLogger(RedisLockAutoConfiguration.class);
    private static final String LETTUCE = "io.lettuce.core.RedisClient";

    /** Created by Spring. */
    public RedisLockAutoConfiguration() {}

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnLockBackend(RedisLockProperties.NAME)
    @ConditionalOnClass(name = LETTUCE)
    @ImportRuntimeHints(RedisRuntimeHints.class)
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

    /**
     * Connects and checks the server when the context starts, and disconnects it when the context stops. Locks of
     * earlier initialisation callbacks connect the backend on demand.
     */
    static final class RedisLockLifecycle extends StoreCheck {

        private final RedisLockBackend backend;

        RedisLockLifecycle(RedisLockBackend backend, boolean requiredAtStart) {
            super(RedisLockProperties.NAME, requiredAtStart, () -> check(backend));
            this.backend = backend;
        }

        private static void check(RedisLockBackend backend) {
            try {
                backend.start();
            } catch (RedisUnavailableException e) {
                throw new LockStartException(String.valueOf(e.getMessage()), e.remedy(), e);
            } catch (SeveralMastersException e) { // an invalid configuration, whether or not the store is required
                throw new IllegalArgumentException(
                        "distributed-lock.redis.active-active is not set, and " + e.getMessage() + ". " + e.remedy(),
                        e);
            } finally {
                backend.warnings().forEach(log::warn);
            }
        }

        @Override
        protected void onStop() {
            backend.stop();
        }
    }

    /** For the field that {@link ApplicationRedis} reads; lock-redis has the hints for its scripts. */
    private static final class RedisRuntimeHints implements RuntimeHintsRegistrar {

        @Override
        public void registerHints(RuntimeHints hints, @Nullable ClassLoader loader) {
            hints.reflection()
                    .registerType(LettuceConnectionFactory.class, hint -> hint.withField(ApplicationRedis.SETUP_FIELD));
        }
    }
}
