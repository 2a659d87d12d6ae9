package io.github.lockstarter.autoconfigure.redis;

import io.github.lockstarter.autoconfigure.ConditionalOnLockBackend;
import io.github.lockstarter.autoconfigure.ConditionalOnMissingLockBackend;
import io.github.lockstarter.autoconfigure.LockSettings;
import io.github.lockstarter.redis.connector.RedisUnavailableException;
import io.github.lockstarter.redlock.RedlockBackend;
import io.github.lockstarter.spi.LockBackend;
import io.lettuce.core.resource.ClientResources;
import java.util.Optional;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingClass;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/** Locks on a quorum of the servers of {@code distributed-lock.redlock.nodes}, for all locks or some of them. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnLockBackend(RedlockOption.NAME)
class RedlockLockConfiguration {

    /** Locks through Lettuce. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(name = "io.lettuce.core.RedisClient")
    static class WithLettuce {

        @Bean
        @ConditionalOnMissingLockBackend
        RedlockNodes distributedLockRedlockNodes(
                LockSettings locks,
                RedlockProperties properties,
                ObjectProvider<ClientResources> resources,
                ObjectProvider<SslBundles> bundles,
                Environment environment) {
            String application = environment.getProperty("spring.application.name", "application");
            SslBundle bundle =
                    properties.sslBundle() == null ? null : bundles.getObject().getBundle(properties.sslBundle());
            return new RedlockNodes(
                    properties,
                    properties.nodeSettings(locks),
                    new RedlockNodes.Link(
                            ApplicationRedis.lockClientName(application),
                            Optional.ofNullable(resources.getIfUnique()),
                            bundle));
        }

        @Bean
        @ConditionalOnBean(RedlockNodes.class)
        @ConditionalOnMissingLockBackend
        RedlockBackend distributedLockRedlockBackend(
                RedlockNodes nodes, LockSettings locks, RedlockProperties properties) {
            return new RedlockBackend(nodes.backends(), properties.settings(locks));
        }

        @Bean
        @ConditionalOnBean(RedlockNodes.class)
        RedlockLockLifecycle distributedLockRedlockLifecycle(RedlockNodes nodes, RedlockBackend backend) {
            return new RedlockLockLifecycle(nodes.members(), backend);
        }
    }

    /** Says that locks need Lettuce. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnMissingClass("io.lettuce.core.RedisClient")
    static class WithoutLettuce {

        @Bean
        @ConditionalOnMissingLockBackend
        LockBackend distributedLockRedlockBackend() {
            throw new RedisUnavailableException(
                    "Locks are kept in a quorum of Redis servers, but their client Lettuce is not on the class path",
                    "Add spring-boot-starter-data-redis without excluding lettuce-core. For tests without Redis set"
                            + " distributed-lock.backend=local");
        }
    }
}
