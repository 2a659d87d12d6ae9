package io.github.lockstarter.autoconfigure.etcd;

import io.github.lockstarter.LockAdmin.StoreState;
import io.github.lockstarter.etcd.EtcdLockBackend;
import io.github.lockstarter.etcd.EtcdUnavailableException;
import io.github.lockstarter.spi.BlockingWait;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Checks at the start of the context that etcd answers, and disconnects the backend after the engine has released its
 * locks. Locks that are taken earlier, by initialisation callbacks, connect the backend themselves.
 *
 * <p>Called by the one thread that starts or stops the context.
 */
final class EtcdLockLifecycle implements SmartLifecycle {

    /** Below the engine's, so that it starts first and stops last. */
    static final int PHASE = 1;

    private static final Logger log = LoggerFactory.getLogger(EtcdLockLifecycle.class);

    private final EtcdLockBackend backend;
    private final boolean requiredAtStart;
    private volatile boolean running;

    EtcdLockLifecycle(EtcdLockBackend backend, boolean requiredAtStart) {
        this.backend = backend;
        this.requiredAtStart = requiredAtStart;
    }

    @Override
    public void start() {
        StoreState state = BlockingWait.awaitUninterruptibly(backend.state().toCompletableFuture());
        Optional<String> failure = state.failure();
        if (failure.isPresent()) {
            String message = "Locks cannot be kept in etcd: " + failure.get();
            if (requiredAtStart) {
                throw new EtcdUnavailableException(message);
            }
            log.warn("{}. Locked methods fail until it answers; each call tries to connect again", message);
        }
        running = true;
    }

    /** The bean is closed when the context destroys it, which is later. */
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
