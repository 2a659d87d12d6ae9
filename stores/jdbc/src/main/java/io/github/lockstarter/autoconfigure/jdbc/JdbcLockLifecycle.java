package io.github.lockstarter.autoconfigure.jdbc;

import io.github.lockstarter.aop.LockStartException;
import io.github.lockstarter.autoconfigure.StoreLifecycle;
import io.github.lockstarter.jdbc.JdbcLockBackend;
import io.github.lockstarter.jdbc.JdbcUnavailableException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks the database when the context starts. Locks that are taken earlier, by initialisation callbacks, find out by
 * themselves. The backend is closed with its bean, after the engine has stopped.
 *
 * <p>Called by the one thread that starts or stops the context.
 */
final class JdbcLockLifecycle extends StoreLifecycle {

    private static final Logger log = LoggerFactory.getLogger(JdbcLockLifecycle.class);

    private static final String START_ANYWAY = ". To start anyway, set distributed-lock.jdbc.required-at-start=false";

    private final JdbcLockBackend backend;
    private final boolean requiredAtStart;

    JdbcLockLifecycle(JdbcLockBackend backend, boolean requiredAtStart) {
        this.backend = backend;
        this.requiredAtStart = requiredAtStart;
    }

    @Override
    protected void onStart() {
        try {
            backend.start();
            log.info("Distributed locks are kept in {}", backend);
        } catch (JdbcUnavailableException e) {
            if (requiredAtStart) {
                // Without a cause nothing was tried: waiting would not help.
                throw new LockStartException(
                        String.valueOf(e.getMessage()),
                        e.getCause() == null ? e.remedy() : e.remedy() + START_ANYWAY,
                        e);
            }
            log.warn("{}. {}. Locked methods fail until then", e.getMessage(), e.remedy());
        }
        backend.warnings().forEach(log::warn);
    }
}
