package io.github.lockstarter.benchmarks.client;

import io.github.lockstarter.LockMode;
import io.lettuce.core.RedisURI;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.redisson.Redisson;
import org.redisson.api.RLock;
import org.redisson.api.RReadWriteLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/**
 * Redisson's {@code RLock} and {@code RReadWriteLock} without a lease time, so that its watchdog renews; otherwise the
 * defaults.
 */
final class RedissonLockClient implements LockClient {

    private final RedissonClient redisson;

    RedissonLockClient(RedisURI uri, Duration lease) {
        Config config = new Config();
        config.setLockWatchdogTimeout(lease.toMillis());
        config.useSingleServer().setAddress("redis://" + uri.getHost() + ":" + uri.getPort());
        this.redisson = Redisson.create(config);
    }

    @Override
    public Hold acquire(String key, Duration wait) throws InterruptedException {
        return acquired(redisson.getLock("redisson:" + key), key, wait);
    }

    @Override
    public Hold acquire(String key, LockMode mode, Duration wait) throws InterruptedException {
        RReadWriteLock both = redisson.getReadWriteLock("redisson:" + key);
        return acquired(mode == LockMode.READ ? both.readLock() : both.writeLock(), key, wait);
    }

    private static Hold acquired(RLock lock, String key, Duration wait) throws InterruptedException {
        if (!lock.tryLock(wait.toMillis(), TimeUnit.MILLISECONDS)) {
            throw new IllegalStateException("Not acquired within " + wait + ": " + key);
        }
        return lock::unlock;
    }

    @Override
    public void close() {
        redisson.shutdown(0, 2, TimeUnit.SECONDS);
    }
}
