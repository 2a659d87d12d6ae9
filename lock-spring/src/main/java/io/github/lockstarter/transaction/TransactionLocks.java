package io.github.lockstarter.transaction;

import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockSource;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The locks that the transaction of the current thread keeps until it has completed. For code without annotations what
 * {@link io.github.lockstarter.InTransaction#RELEASE_AFTER} is for locked methods:
 *
 * <pre>{@code
 * @Transactional
 * public void withdraw(long id, BigDecimal amount) {
 *     TransactionLocks.releaseAfterCompletion(locks.acquire("account:" + id));
 *     …
 * }
 * }</pre>
 *
 * <p>The transaction is the one that the thread began last, also with several transaction managers. While it is
 * suspended, its locks stay held, and further locks go to the inner transaction.
 */
public final class TransactionLocks {

    private TransactionLocks() {}

    /**
     * Hands a lock to the transaction of this thread, which releases it when it has committed or rolled back, behind
     * the listeners of the application. Do not release the handle. Until then the thread may acquire the key again, if
     * the thread and not the handle owns the lock. If the lock is lost before the commit, the transaction is rolled
     * back, unless {@code distributed-lock.on-lost} is {@code return}.
     *
     * @param handle the lock; released at once if this method throws
     * @throws IllegalStateException when there is no transaction, it has completed, or its transaction manager has no
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
     * Whether the transaction of this thread keeps the lock until it has completed. No network.
     *
     * @param source grants the lock: a lock with the same key that another source granted is another lock
     * @param request what to lock
     * @return false if it does not keep one of the keys, or has lost it
     */
    public static boolean contain(LockSource source, LockRequest request) {
        return CompletionRelease.current()
                .filter(locks -> locks.contains(source.heldLocks(), request.keys()))
                .isPresent();
    }

    /**
     * Ensures that the transaction of this thread has all the locks that it keeps.
     *
     * @throws io.github.lockstarter.LockLostException when one is lost
     */
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
