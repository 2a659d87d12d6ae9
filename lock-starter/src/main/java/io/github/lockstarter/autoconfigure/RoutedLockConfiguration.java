package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.autoconfigure.DistributedLockProperties.Backend;
import io.github.lockstarter.redis.RedisLockBackend;
import io.github.lockstarter.redlock.RedlockBackend;
import java.util.Map;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;

/** Some locks in one Redis and some in a quorum: each command goes to the backend of its key. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnEnabledLocks
@ConditionalOnOwnLocks
class RoutedLockConfiguration {

    @Bean(destroyMethod = "")
    @Primary
    @ConditionalOnBean({RedisLockBackend.class, RedlockBackend.class})
    RoutedBackend distributedLockRoutedBackend(
            DistributedLockProperties properties, RedisLockBackend redis, RedlockBackend redlock) {
        return new RoutedBackend(properties.routes(), Map.of(Backend.REDIS, redis, Backend.REDLOCK, redlock));
    }
}
