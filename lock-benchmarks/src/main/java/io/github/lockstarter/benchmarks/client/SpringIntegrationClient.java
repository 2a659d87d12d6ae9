package io.github.lockstarter.benchmarks.client;

import io.lettuce.core.RedisURI;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.integration.redis.util.RedisLockRegistry;
import org.springframework.integration.redis.util.RedisLockRegistry.RedisLockType;

/**
 * Spring Integration's {@code RedisLockRegistry} with publish/subscribe, on a shared Lettuce connection as Boot sets it
 * up, expiry 30 s; all else is its default, hence without renewal.
 *
 * <p>With renewal it would not take part where many locks are held: 7.1.0 shares one local lock among the names of a
 * stripe, so that threads which keep thousands of names wait for each other.
 */
final class SpringIntegrationClient implements LockClient {

    private static final Duration EXPIRY = Duration.ofSeconds(30);

    private final LettuceConnectionFactory connections;
    private final RedisLockRegistry registry;

    SpringIntegrationClient(RedisURI uri) {
        this.connections = new LettuceConnectionFactory(new RedisStandaloneConfiguration(uri.getHost(), uri.getPort()));
        connections.afterPropertiesSet();
        connections.start();
        this.registry = new RedisLockRegistry(connections, "spring-integration", EXPIRY);
        registry.setRedisLockType(RedisLockType.PUB_SUB_LOCK);
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
        registry.destroy();
        connections.destroy();
    }
}
