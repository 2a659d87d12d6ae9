package io.github.lockstarter.autoconfigure.zookeeper;

import io.github.lockstarter.DurationText;
import io.github.lockstarter.aop.LockStartException;
import io.github.lockstarter.autoconfigure.StoreLifecycle;
import io.github.lockstarter.zookeeper.ZooKeeperLockBackend;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Waits for the first connection when the context starts. The client connects, and connects again, on its own; the
 * backend is closed with the context, after the engine has stopped.
 *
 * <p>Called by the one thread that starts or stops the context.
 */
final class ZooKeeperLockLifecycle extends StoreLifecycle {

    private static final Logger log = LoggerFactory.getLogger(ZooKeeperLockLifecycle.class);

    private static final String ACTION =
            "Check that a majority of the servers runs, and that distributed-lock.zookeeper.connect-string names them,"
                    + " with a chroot that exists if it has one. To start anyway and connect later, set"
                    + " distributed-lock.zookeeper.required-at-start=false. For tests without ZooKeeper set"
                    + " distributed-lock.backend=local";

    private final ZooKeeperLockBackend backend;
    private final ZooKeeperLockProperties properties;

    ZooKeeperLockLifecycle(ZooKeeperLockBackend backend, ZooKeeperLockProperties properties) {
        this.backend = backend;
        this.properties = properties;
    }

    @Override
    protected void onStart() {
        Optional<String> problem = backend.connect(properties.connectionTimeout());
        if (problem.isEmpty()) {
            warnOfSession();
        } else if (properties.requiredAtStart()) {
            throw new LockStartException(problem.get(), ACTION);
        } else {
            log.warn("{}. Locked methods fail until then; the client keeps trying", problem.get());
        }
    }

    private void warnOfSession() {
        Duration granted = backend.sessionTimeout();
        if (granted.compareTo(properties.sessionTimeout()) < 0) {
            log.warn(
                    "{} grants sessions of {}, and not of {}: locks are in doubt after half of that without an answer."
                            + " Raise maxSessionTimeout of the servers, or lower {}.session-timeout",
                    backend,
                    DurationText.exactly(granted),
                    DurationText.exactly(properties.sessionTimeout()),
                    ZooKeeperLockProperties.PREFIX);
        }
    }
}
