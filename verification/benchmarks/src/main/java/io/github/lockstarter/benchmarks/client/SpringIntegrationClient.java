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
 * Spring Integration's {@code RedisLockRegistry}, on a shared Lettuce connection as Boot sets it up; all else that the
 * factory methods do not name is its default.
 *
 * <p>With renewal it would not take part where many locks are held: 7.1.0 shares one local lock among the names of a
 * stripe, so that threads which keep thousands of names wait for each other.
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
     * With renewal. Without publish/subscribe: a waiter that waits for a message of the holder hears nothing of its
     * crash, and asks again when its own wait is over.
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
        return new Held(registry, key, lock);
    }

    private record Held(RedisLockRegistry registry, String key, Lock lock) implements Hold {

        @Override
        public void release() {
            lock.unlock();
        }

        /** The registry only tells whether it could renew the lock. */
        @Override
        public boolean isHeld() {
            try {
                registry.renewLock(key);
                return true;
            } catch (IllegalStateException e) {
                return false;
            }
        }
    }

    @Override
    public void close() {
        renewals.shutdown();
        registry.destroy();
        connections.destroy();
    }
}
