package io.github.lockstarter;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** The basic ways to acquire a lock. Thread-safe. */
public interface LockSource {

    /**
     * Acquires the lock, waiting as long as the request, or else the configuration, allows. The owning thread re-enters
     * without a round trip; the last release frees the lock.
     *
     * @param request lock
     * @return the hold; release it
     * @throws LockNotAcquiredException when another owner held the lock for the whole wait
     * @throws LockStoreRecoveringException when the store may have forgotten locks and granted none when the wait ended
     * @throws LockBackendException when the backend did not answer, or this thread's hold stayed {@linkplain
     *     HoldState#IN_DOUBT in doubt} for the whole wait
     * @throws LockInterruptedException when interrupted
     * @throws LockLostException when this thread held the key and has lost it, or the lock was lost before this method
     *     returned
     * @throws IllegalArgumentException when the lease is above {@code distributed-lock.max-lease}
     */
    LockHandle acquire(LockRequest request);

    /**
     * As {@link #acquire}, but the configured wait does not apply: without a wait in the request, makes one attempt.
     *
     * @param request lock
     * @return the hold, or empty when another owner has the lock
     * @throws LockException as {@link #acquire}, except {@link LockNotAcquiredException}
     */
    Optional<LockHandle> tryAcquire(LockRequest request);

    /**
     * Acquires the lock without blocking. The handle owns the hold, so it is not reentrant. Cancelling the future, or
     * completing it otherwise ({@code orTimeout}), gives up the wait and leaves nothing behind.
     *
     * @param request lock
     * @return the hold, or an exception of {@link #acquire}. Dependents may block: each completion has its own thread
     *     of the lock client, up to 4,096 at a time; above that, and after its shutdown, they run on the completing
     *     thread
     * @throws IllegalArgumentException at once, as {@link #acquire}
     */
    CompletableFuture<LockHandle> acquireAsync(LockRequest request);

    /**
     * {@return a live, read-only view of the locks that this instance holds, always the same object; a delegate's own}
     */
    HeldLocks heldLocks();
}
