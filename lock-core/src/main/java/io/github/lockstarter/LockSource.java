package io.github.lockstarter;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** The basic ways to acquire a lock. Thread-safe. */
public interface LockSource {

    /**
     * Acquires the lock, waiting as long as the request, or else the configuration, allows. The owning thread re-enters
     * without a round trip, even while another thread uses its handle; the last release frees the lock.
     *
     * @param request the lock
     * @return the hold; release it
     * @throws LockNotAcquiredException when another owner held the lock for the whole wait
     * @throws LockStoreRecoveringException when the store may have forgotten locks and granted none when the wait ended
     * @throws LockBackendException when the backend was unreachable or did not answer, or this thread's hold of the key
     *     stayed {@linkplain HoldState#IN_DOUBT in doubt} for the whole wait
     * @throws LockInterruptedException when interrupted; the flag is set again
     * @throws LockLostException when this thread held the key and has lost it, or the lock was lost before this method
     *     returned
     * @throws IllegalArgumentException when the lease is above {@code distributed-lock.max-lease}
     */
    LockHandle acquire(LockRequest request);

    /**
     * Acquires the lock if it is free or becomes free within the wait of the request. Without one it makes one attempt;
     * the configured wait does not apply.
     *
     * @param request the lock
     * @return the hold, or empty when another owner has the lock
     * @throws LockException as {@link #acquire}, except {@link LockNotAcquiredException}
     * @throws IllegalArgumentException as {@link #acquire}
     */
    Optional<LockHandle> tryAcquire(LockRequest request);

    /**
     * Acquires the lock without blocking. The handle owns the hold, so it is not reentrant. Cancelling the future, or
     * completing it otherwise ({@code orTimeout}), gives up the wait and leaves nothing behind.
     *
     * @param request the lock
     * @return the hold, or an exception of {@link #acquire}. Dependents may block: each completion has its own thread
     *     of the lock client, up to 4,096 at a time; above that, and after its shutdown, they run on the completing
     *     thread
     * @throws IllegalArgumentException at once, as {@link #acquire}
     */
    CompletableFuture<LockHandle> acquireAsync(LockRequest request);

    /**
     * The locks that this instance holds. A source that delegates returns its delegate's view, because {@link
     * LockHandle#heldBySource()} identifies the source by it.
     *
     * @return a live, read-only view, always the same object
     */
    HeldLocks heldLocks();
}
