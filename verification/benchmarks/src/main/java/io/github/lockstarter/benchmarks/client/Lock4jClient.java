package io.github.lockstarter.benchmarks.client;

import com.baomidou.lock.LockInfo;
import com.baomidou.lock.LockTemplate;
import com.baomidou.lock.executor.RedisTemplateLockExecutor;
import com.baomidou.lock.spring.boot.autoconfigure.Lock4jProperties;
import io.lettuce.core.RedisURI;
import java.time.Duration;
import java.util.List;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

/**
 * Lock4j with its {@code RedisTemplate} executor and default properties (expiry 30 s, retry every 100 ms), on a shared
 * Lettuce connection as Boot configures it.
 *
 * <p>Without renewal, the default: this version starts a {@code java.util.Timer} thread for every lock and renewal.
 */
final class Lock4jClient implements LockClient {

    private static final long DEFAULT_EXPIRY = 0;

    private final LettuceConnectionFactory connections;
    private final LockTemplate locks = new LockTemplate();

    Lock4jClient(RedisURI uri, Duration lease) {
        this.connections = new LettuceConnectionFactory(new RedisStandaloneConfiguration(uri.getHost(), uri.getPort()));
        connections.afterPropertiesSet();
        connections.start();
        Lock4jProperties properties = new Lock4jProperties();
        properties.setExpire(lease.toMillis());
        locks.setProperties(properties);
        locks.setExecutors(List.of(new RedisTemplateLockExecutor(new StringRedisTemplate(connections), properties)));
        try {
            locks.afterPropertiesSet();
        } catch (Exception e) {
            throw new IllegalStateException("Could not set up lock4j", e);
        }
    }

    @Override
    public Hold acquire(String key, Duration wait) {
        LockInfo lock = locks.lock("lock4j:" + key, DEFAULT_EXPIRY, wait.toMillis());
        if (lock == null) {
            throw new IllegalStateException("Not acquired within " + wait + ": " + key);
        }
        return () -> release(lock);
    }

    private void release(LockInfo lock) {
        if (!locks.releaseLock(lock)) {
            throw new IllegalStateException("Lost: " + lock.getLockKey());
        }
    }

    @Override
    public void close() {
        connections.destroy();
    }
}
