package io.github.lockstarter.autoconfigure.jdbc;

import io.github.lockstarter.jdbc.JdbcLockBackend;
import io.github.lockstarter.jdbc.JdbcUnavailableException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Checks the database when the context starts. Locks that are taken earlier, by initialisation callbacks, find out by
 * themselves. The backend is closed with its bean, after the engine has released its locks.
 *
 * <p>Called by the one thread that starts or stops the context.
 */
final class JdbcLockLifecycle implements SmartLifecycle {

    /** Below the engine's, so that it starts first. */
    static final int PHASE = 1;

    private static final Logger log = LoggerFactory.getLogger(JdbcLockLifecycle.class);

    private final JdbcLockBackend backend;
    private final boolean requiredAtStart;
    private volatile boolean running;

    JdbcLockLifecycle(JdbcLockBackend backend, boolean requiredAtStart) {
        this.backend = backend;
        this.requiredAtStart = requiredAtStart;
    }

    @Override
    public void start() {
        try {
            backend.start();
        } catch (JdbcUnavailableException e) {
            if (requiredAtStart) {
                throw e;
            }
            log.warn("{}. {}. Locked methods fail until then", e.getMessage(), e.remedy());
        }
        backend.warnings().forEach(log::warn);
        running = true;
    }

    @Override
    public void stop() {
        running = false;
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    @Override
    public int getPhase() {
        return PHASE;
    }
}
