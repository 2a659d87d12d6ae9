package io.github.lockstarter.autoconfigure.etcd;

import io.github.lockstarter.LockAdmin.StoreState;
import io.github.lockstarter.aop.LockStartException;
import io.github.lockstarter.autoconfigure.StoreLifecycle;
import io.github.lockstarter.etcd.EtcdLockBackend;
import io.github.lockstarter.spi.BlockingWait;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks at the start of the context that etcd answers. Locks that are taken earlier, by initialisation callbacks,
 * connect the backend themselves. It is closed with its bean, after the engine has stopped.
 *
 * <p>Called by the one thread that starts or stops the context.
 */
final class EtcdLockLifecycle extends StoreLifecycle {

    private static final Logger log = LoggerFactory.getLogger(EtcdLockLifecycle.class);

    private static final String ACTION = "Start etcd there, or name the client URLs of its members in"
            + " distributed-lock.etcd.endpoints, and its user in distributed-lock.etcd.user and"
            + " distributed-lock.etcd.password. For https, name the certificates in distributed-lock.etcd.ssl-bundle."
            + " To start anyway and connect later, set distributed-lock.etcd.required-at-start=false";

    private final EtcdLockBackend backend;
    private final boolean requiredAtStart;

    EtcdLockLifecycle(EtcdLockBackend backend, boolean requiredAtStart) {
        this.backend = backend;
        this.requiredAtStart = requiredAtStart;
    }

    @Override
    protected void onStart() {
        StoreState state = BlockingWait.awaitUninterruptibly(backend.state().toCompletableFuture());
        Optional<String> failure = state.failure();
        if (failure.isPresent()) {
            String message = "Locks cannot be kept in etcd: " + failure.get();
            if (requiredAtStart) {
                throw new LockStartException(message, ACTION);
            }
            log.warn("{}. Locked methods fail until it answers; each call tries to connect again", message);
        }
    }
}
