package io.github.lockstarter.autoconfigure.zookeeper;

import io.github.lockstarter.zookeeper.ZooKeeperLockBackend;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Waits for the first connection when the context starts. The client connects, and connects again, on its own; the
 * backend is closed with the context, after the engine has released its locks.
 *
 * <p>Called by the one thread that starts or stops the context.
 */
final class ZooKeeperLockLifecycle implements SmartLifecycle {

    /** Below the engine's, so that it starts first and stops last. */
    static final int PHASE = 1;

    private static final Logger log = LoggerFactory.getLogger(ZooKeeperLockLifecycle.class);

    private final ZooKeeperLockBackend backend;
    private final ZooKeeperLockProperties properties;
    private volatile boolean running;

    ZooKeeperLockLifecycle(ZooKeeperLockBackend backend, ZooKeeperLockProperties properties) {
        this.backend = backend;
        this.properties = properties;
    }

    @Override
    public void start() {
        if (backend.connect(properties.connectionTimeout())) {
            warnOfSession();
        } else if (properties.requiredAtStart()) {
            throw new ZooKeeperUnavailableException(unanswered());
        } else {
            log.warn("{}. Locked methods fail until then; the client goes on to connect", unanswered());
        }
        running = true;
    }

    private void warnOfSession() {
        Duration granted = backend.sessionTimeout();
        if (granted.compareTo(properties.sessionTimeout()) < 0) {
            log.warn(
                    "{} grants sessions of {} ms, and not of {} ms: locks are in doubt after half of that without an answer."
                            + " Raise maxSessionTimeout of the servers, or lower {}.session-timeout",
                    backend,
                    granted.toMillis(),
                    properties.sessionTimeout().toMillis(),
                    ZooKeeperLockProperties.PREFIX);
        }
    }

    private String unanswered() {
        return backend + " did not answer within "
                + properties.connectionTimeout().toMillis() + " ms";
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
