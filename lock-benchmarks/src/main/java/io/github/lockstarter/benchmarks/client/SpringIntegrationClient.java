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
 * Spring Integration's {@code RedisLockRegistry} with publish/subscribe, on a shared Lettuce connection as Boot sets it up,
 * expiry 30 s. Renewal is asked for by giving the registry a scheduler; it then renews at once and every 10 s.
 */
final class SpringIntegrationClient implements LockClient {

    static final int WITHOUT_RENEWAL = 0;
    static final int RENEWAL_THREADS = 4;

    private static final Duration EXPIRY = Duration.ofSeconds(30);
    private static final int CAPACITY = 200_000;

    private final LettuceConnectionFactory connections;
    private final RedisLockRegistry registry;
    private final ThreadPoolTaskScheduler scheduler = new ThreadPoolTaskScheduler();

    SpringIntegrationClient(RedisURI uri, int renewalThreads) {
        this.connections = new LettuceConnectionFactory(new RedisStandaloneConfiguration(uri.getHost(), uri.getPort()));
        connections.afterPropertiesSet();
        connections.start();
        this.registry = new RedisLockRegistry(connections, "spring-integration", EXPIRY);
        registry.setRedisLockType(RedisLockType.PUB_SUB_LOCK);
        registry.setCacheCapacity(CAPACITY);
        if (renewalThreads != WITHOUT_RENEWAL) {
            scheduler.setPoolSize(renewalThreads);
            scheduler.setRemoveOnCancelPolicy(true);
            scheduler.initialize();
            registry.setRenewalTaskScheduler(scheduler);
        }
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
        scheduler.destroy();
        registry.destroy();
        connections.destroy();
    }
}
