package io.github.lockstarter.autoconfigure.redis;

import io.github.lockstarter.LockAdmin.StoreState.Guard;
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

    private static final String DEGRADED =
            "Redis does not show this user the name of its replication history (master_replid"
                    + " of INFO replication): locks are guarded against a restart without data, but not against a "
                    + "failover that forgets them. Give the user the right +info, or set "
                    + "distributed-lock.redis.grace-period=0s";

    private final RedisLockBackend backend;

    RedisLockLifecycle(RedisLockBackend backend, boolean requiredAtStart) {
        super(RedisLockProperties.NAME, requiredAtStart, () -> check(backend));
        this.backend = backend;
    }

    private static void check(RedisLockBackend backend) {
        try {
            backend.start();
            if (backend.guard() == Guard.DEGRADED) {
                log.warn(DEGRADED);
            }
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
