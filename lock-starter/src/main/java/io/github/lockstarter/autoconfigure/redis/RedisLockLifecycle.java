package io.github.lockstarter.autoconfigure.redis;

import io.github.lockstarter.aop.LockStartException;
import io.github.lockstarter.autoconfigure.StoreCheck;
import io.github.lockstarter.redis.RedisLockBackend;
import io.github.lockstarter.redis.connector.RedisUnavailableException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Connects and checks the server when the context starts, and disconnects it when the context stops. Locks of earlier
 * initialisation callbacks connect the backend on demand.
 */
final class RedisLockLifecycle extends StoreCheck {

    private static final Logger log = LoggerFactory.getLogger(RedisLockLifecycle.class);

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
        } finally {
            backend.warnings().forEach(log::warn);
        }
    }

    @Override
    protected void onStop() {
        backend.stop();
    }
}
