package io.github.lockstarter.benchmarks.client;

import io.lettuce.core.RedisURI;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.integration.redis.util.RedisLockRegistry;
import org.springframework.integration.redis.util.RedisLockRegistry.RedisLockType;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/**
 * Spring Integration's {@code RedisLockRegistry}, on a shared Lettuce connection as Boot configures it; otherwise the
 * defaults.
 */
final class SpringIntegrationClient implements LockClient {

    private final LettuceConnectionFactory connections;
    private final ThreadPoolTaskScheduler renewals = new ThreadPoolTaskScheduler();
    private final RedisLockRegistry registry;

    private SpringIntegrationClient(RedisURI uri, Duration expiry) {
        this.connections = new LettuceConnectionFactory(new RedisStandaloneConfiguration(uri.getHost(), uri.getPort()));
        connections.afterPropertiesSet();
        connections.start();
        this.registry = new RedisLockRegistry(connections, "spring-integration", expiry);
        renewals.initialize();
    }

    /** With publish/subscribe, without renewal. */
    static SpringIntegrationClient notified(RedisURI uri, Duration expiry) {
        SpringIntegrationClient client = new SpringIntegrationClient(uri, expiry);
        client.registry.setRedisLockType(RedisLockType.PUB_SUB_LOCK);
        return client;
    }

    /**
     * With renewal. Without publish/subscribe, where a waiter receives no message after a crash, and only retries
     * after its whole wait.
     */
    static SpringIntegrationClient renewing(RedisURI uri, Duration expiry) {
        SpringIntegrationClient client = new SpringIntegrationClient(uri, expiry);
        client.registry.setRenewalTaskScheduler(client.renewals);
        return client;
    }

    @Override
    public Hold acquire(String key, Duration wait) throws InterruptedException {
        Lock lock = registry.obtain(key);
        if (!lock.tryLock(wait.toMillis(), TimeUnit.MILLISECONDS)) {
            throw new IllegalStateException("Not acquired within " + wait + ": " + key);
        }
        return lock::unlock;
    }

    @Override
    public void close() {
        renewals.shutdown();
        registry.destroy();
        connections.destroy();
    }
}
