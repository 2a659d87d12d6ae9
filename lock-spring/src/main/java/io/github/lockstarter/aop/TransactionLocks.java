package io.github.lockstarter.aop;

import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockRequest;
import java.util.Deque;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The locks of one transaction, which it keeps until it has completed, whatever its outcome. Bound to the transaction:
 * while it is suspended, its thread has those of the next one.
 *
 * <p>The thread of the transaction adds locks; the thread that completes the transaction, which may be another one,
 * releases them. {@link #isCompleted} turns true before the locks are taken out, and is read after one was put in, so
 * that one of the two threads releases it.
 */
final class TransactionLocks implements TransactionSynchronization {

    private static final Logger log = LoggerFactory.getLogger(TransactionLocks.class);

    private final Deque<LockHandle> handles = new ConcurrentLinkedDeque<>();
    private final Set<String> keys = ConcurrentHashMap.newKeySet();
    private volatile boolean isCompleted;
    private volatile boolean isCompletedByTheLast;

    private TransactionLocks() {}

    /** Those of the transaction of this thread. */
    private static Optional<TransactionLocks> current() {
        // What a transaction that ended on another thread has left is of no transaction any more.
        return Optional.ofNullable(
                        (TransactionLocks) TransactionSynchronizationManager.getResource(TransactionLocks.class))
                .filter(locks -> !locks.isCompleted);
    }

    /** Whether the transaction of this thread keeps the lock until it has completed. */
    static boolean include(LockRequest request) {
        return current().filter(locks -> locks.keys.containsAll(request.keys())).isPresent();
    }

    /** Adds a lock to those of the transaction of this thread. If that is not possible, the lock is released. */
    static void add(LockHandle handle) {
        try {
            current().orElseGet(TransactionLocks::begin).keepUntilCompletion(handle);
        } catch (RuntimeException | Error e) {
            handle.release();
            throw e;
        }
    }

    private static TransactionLocks begin() {
        TransactionLocks locks = new TransactionLocks();
        TransactionSynchronizationManager.registerSynchronization(locks);
        locks.bind();
        return locks;
    }

    private void keepUntilCompletion(LockHandle handle) {
        handles.addFirst(handle);
        keys.addAll(handle.keys());
        if (isCompleted) {
            releaseAll();
        }
    }

    /**
     * Ensures that the transaction of this thread has all the locks that it keeps.
     *
     * @throws io.github.lockstarter.LockLostException when one is lost
     */
    static void ensureHeld() {
        current().ifPresent(locks -> locks.handles.forEach(LockHandle::ensureHeld));
    }

    @Override
    public void suspend() {
        unbind();
    }

    @Override
    public void resume() {
        bind();
    }

    /**
     * Has the locks released behind all that the application does at the end of the transaction, such as in listeners
     * after the commit, which may lock the same keys: those that registered before come first.
     */
    @Override
    public void beforeCompletion() {
        if (TransactionSynchronizationManager.isSynchronizationActive()) {
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                @Override
                public void afterCompletion(int status) {
                    complete();
                }
            });
            isCompletedByTheLast = true;
        }
    }

    @Override
    public void afterCompletion(int status) {
        if (!isCompletedByTheLast) {
            complete();
        }
    }

    private void complete() {
        isCompleted = true;
        unbind();
        releaseAll();
    }

    private void releaseAll() {
        for (LockHandle next = handles.pollFirst(); next != null; next = handles.pollFirst()) {
            try {
                next.release();
            } catch (RuntimeException | Error e) { // the others are released all the same
                log.warn("{} could not be released at the end of its transaction", next, e);
            }
        }
    }

    private void bind() {
        TransactionSynchronizationManager.unbindResourceIfPossible(TransactionLocks.class); // of an ended transaction
        TransactionSynchronizationManager.bindResource(TransactionLocks.class, this);
    }

    /** Without effect on another thread than that of the transaction, which may have a transaction of its own. */
    private void unbind() {
        if (TransactionSynchronizationManager.getResource(TransactionLocks.class) == this) {
            TransactionSynchronizationManager.unbindResource(TransactionLocks.class);
        }
    }
}
