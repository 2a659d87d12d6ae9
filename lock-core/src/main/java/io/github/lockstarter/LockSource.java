package io.github.lockstarter;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** The three ways to get a lock; everything else in {@link LockOperations} follows from them. Thread-safe. */
public interface LockSource {

    /**
     * Acquires the lock, waiting for it as long as the request, else the configuration, says. The same thread may
     * acquire the same key again: that costs no round trip, and the lock is released with the last release. It may do
     * so also while a handle of it is used on another thread, unless the lock is {@link LockRequest#ownedByHandle()
     * owned by its handle}.
     *
     * @param request what to lock
     * @return the hold; release it
     * @throws LockNotAcquiredException when another owner held the lock for the whole wait
     * @throws LockStoreRecoveringException when the store may have forgotten locks, and granted no free ones at the end
     *     of the wait
     * @throws LockBackendException when the backend was unreachable or did not answer; also when this thread holds the
     *     key already, the hold is {@linkplain HoldState#IN_DOUBT in doubt}, and was not confirmed within the wait
     * @throws LockInterruptedException when interrupted; the flag is set again
     * @throws LockLostException when this thread held the key already and has lost it, or the lock was lost between its
     *     grant and the return of this method
     * @throws IllegalArgumentException when the lease is above {@code distributed-lock.max-lease}
     */
    LockHandle acquire(LockRequest request);

    /**
     * Acquires the lock if it is free, or becomes free within the wait set in the request. A request without a wait
     * makes one attempt; the configured wait does not apply.
     *
     * @param request what to lock
     * @return the hold, or empty when another owner has the lock
     * @throws LockStoreRecoveringException as {@link #acquire}: it is unknown whether another owner has the lock
     * @throws LockBackendException as {@link #acquire}
     * @throws LockInterruptedException as {@link #acquire}
     * @throws LockLostException as {@link #acquire}
     * @throws IllegalArgumentException as {@link #acquire}
     */
    Optional<LockHandle> tryAcquire(LockRequest request);

    /**
     * Acquires the lock without blocking a thread. The hold belongs to the handle, not to a thread: it is never
     * reentrant. Cancelling the future, or completing it otherwise ({@code orTimeout}), gives up the wait and leaves
     * nothing behind.
     *
     * @param request what to lock
     * @return completed with the hold, or with one of the exceptions of {@link #acquire}; dependents run on a thread of
     *     the lock client, never on an event loop. It has 64 of them, and starts more, after a delay, only while all of
     *     them are blocked: dependents that block belong on an executor of yours
     * @throws IllegalArgumentException at once, as {@link #acquire}
     */
    CompletableFuture<LockHandle> acquireAsync(LockRequest request);

    /**
     * What this instance of the application holds. A source that passes its requests on to another one passes on this
     * view of it, by which {@link LockHandle#heldBySource()} tells whose lock a handle has.
     *
     * @return a live read-only view, always the same object
     */
    HeldLocks heldLocks();
}
