package io.github.lockstarter.transaction;

import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockSource;
import java.util.Optional;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The locks that the current thread's transaction keeps until its completion: {@link
 * io.github.lockstarter.InTransaction#RELEASE_AFTER} for code.
 *
 * <pre>{@code
 * @Transactional
 * public void withdraw(long id, BigDecimal amount) {
 *     TransactionLocks.releaseAfterCompletion(locks.acquire("account:" + id));
 *     …
 * }
 * }</pre>
 *
 * <p>Uses the thread's innermost transaction. A suspended transaction keeps its locks.
 */
public final class TransactionLocks {

    private TransactionLocks() {}

    /**
     * Leaves the release of a lock to this thread's transaction, after the commit or rollback and the application's
     * listeners; do not release the handle. If the lock is lost before the commit, the transaction is rolled back,
     * unless it has {@link io.github.lockstarter.OnLost#RETURN}.
     *
     * @param handle lock; released at once if this method throws
     * @throws IllegalStateException if there is no transaction, it has completed, or its transaction manager has no
     *     synchronization
     */
    public static void releaseAfterCompletion(LockHandle handle) {
        try {
            checkSynchronized(handle);
            CompletionRelease.ofThisTransaction().add(handle);
        } catch (RuntimeException | Error e) {
            releaseAfter(handle, e);
            throw e;
        }
    }

    /**
     * Whether this thread's transaction keeps a lock. Asks the store only about a lock in doubt.
     *
     * @param source source of the lock
     * @param request lock
     * @return false if it does not keep one of the keys, or has lost it
     */
    public static boolean contain(LockSource source, LockRequest request) {
        return CompletionRelease.current()
                .filter(locks -> locks.contains(source.heldLocks(), request.keys()))
                .isPresent();
    }

    /** {@return an entry into a lock that the transaction keeps under all of the keys} */
    static Optional<LockHandle> reenter(LockSource source, LockRequest request) {
        return CompletionRelease.current().flatMap(locks -> locks.reenter(source.heldLocks(), request));
    }

    /** @throws io.github.lockstarter.LockLostException if the transaction has lost a lock */
    static void ensureHeld() {
        CompletionRelease.current().ifPresent(CompletionRelease::ensureHeld);
    }

    private static void checkSynchronized(LockHandle handle) {
        if (!TransactionSynchronizationManager.isSynchronizationActive()) {
            throw new IllegalStateException("Lock '" + LockRequest.printable(handle.key())
                    + "' cannot be kept until the end of the transaction, and is released: this thread has no "
                    + "transaction, or it has ended already, as in a listener after the commit, or its transaction "
                    + "manager has no synchronization. Call releaseAfterCompletion inside a @Transactional method or a "
                    + "TransactionTemplate");
        }
    }

    private static void releaseAfter(LockHandle handle, Throwable failure) {
        try {
            handle.release();
        } catch (RuntimeException | Error releasing) {
            if (releasing != failure) {
                failure.addSuppressed(releasing);
            }
        }
    }
}
