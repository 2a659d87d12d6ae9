package io.github.lockstarter;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * One hold of a lock, from acquire to release. Thread-safe: any thread may query, extend or release it. Keep it
 * reachable while the lock is to be held.
 *
 * <p>Passing the handle to another thread does not change the owner: the acquiring thread, which may be pooled, can
 * still re-enter the lock. See {@link LockRequest#ownedByHandle()}.
 *
 * <p>{@link #isHeld()} reads the local monotonic clock. The lease counts from <em>before</em> the acquiring or renewing
 * command was sent and is shortened by the clock allowance (drift), so the answer turns false before another owner can
 * get the lock. A paused JVM can act on an outdated answer: let the resource refuse {@linkplain #fencingToken() fencing
 * tokens} smaller than one it has seen.
 */
public interface LockHandle extends AutoCloseable {

    /**
     * {@return the handle of the innermost locked method or {@link LockOperations#execute} body on this thread, or of a
     * {@link LockContext} bound inside it} Empty on threads started by the body, and for locks from {@link
     * LockOperations#acquire}.
     */
    static Optional<LockHandle> current() {
        return LockContext.innermostOfThread();
    }

    /**
     * {@return the handles of all locked methods and {@link LockOperations#execute} bodies on this thread, innermost
     * first, without the bound {@link LockContext}}
     */
    static List<LockHandle> allCurrent() {
        return LockContext.bodiesOfThread();
    }

    /**
     * {@link #ensureHeld() Ensures} that all locks of {@link #allCurrent()} are held and no lock of the bound {@link
     * LockContext} is lost, except locks with {@link OnLost#RETURN}.
     *
     * @throws LockException as {@link #ensureHeld()}
     * @throws IllegalStateException as {@link #ensureHeld()}
     */
    static void ensureAllHeld() {
        LockContext.ensureAllOfThread();
    }

    /** {@return the locked key; several keys are joined by {@code ", "}} */
    String key();

    /** {@return all locked keys, sorted} */
    default List<String> keys() {
        return List.of(key());
    }

    /**
     * {@return {@link LockSource#heldLocks()} of the source, which it identifies: equal keys of other sources are other
     * locks}
     */
    HeldLocks heldBySource();

    /**
     * {@return a number strictly greater than in every earlier hold of this key and slot, for the protected resource to
     * check; equal in nested holds; positive and below 2<sup>53</sup>}
     *
     * @throws IllegalStateException when several keys are held; use {@link #fencingToken(String)}
     */
    long fencingToken();

    /**
     * {@return the index of the held permit, from 0, unique among simultaneous holders; of a hold that readers of an
     * instance share, from 1,024} Resources must check fencing tokens per slot.
     */
    default int slot() {
        return 0;
    }

    /**
     * {@return the {@link #slot()} of one key}
     *
     * @param key one of {@link #keys()}
     */
    default int slot(String key) {
        return slot();
    }

    /**
     * {@return the fencing token of one key}
     *
     * @param key one of {@link #keys()}
     * @throws IllegalArgumentException when this handle does not hold the key
     */
    default long fencingToken(String key) {
        if (!keys().contains(key)) {
            throw new IllegalArgumentException("This handle holds " + keys() + ", not '" + key + "'");
        }
        return fencingToken();
    }

    /**
     * {@return the time until the lease ends unless renewed, by the local clock, even in doubt; zero once it ended or
     * the handle was released}
     */
    Duration remainingLease();

    /**
     * {@return whether this handle certainly holds the lock now: false while {@linkplain HoldState#IN_DOUBT in doubt},
     * and forever once released or lost}
     */
    boolean isHeld();

    /** {@return the state by the local clock; for several locks, the last in enum order} */
    HoldState state();

    /**
     * Throws unless the lock is held. For a lock {@linkplain HoldState#IN_DOUBT in doubt}, asks the store and blocks
     * until the lock is confirmed or lost, or the store's command timeout (2 s by default) ends.
     *
     * @throws LockLostException when the lock was lost
     * @throws LockBackendException when the lock is still in doubt
     * @throws IllegalStateException when this handle was released
     * @throws LockInterruptedException when interrupted during the wait
     */
    void ensureHeld();

    /**
     * {@link #ensureHeld()} without blocking, for asynchronous work before it commits or writes.
     *
     * @return completes normally if the lock is held, or with the exception of {@link #ensureHeld()}; dependents run as
     *     those of {@link #closeAsync}
     */
    CompletableFuture<Void> ensureHeldAsync();

    /**
     * Restarts the lease and sets lease, renewal, maximum hold and minimum hold, counted from now, and the condition of
     * the minimum hold, as far as the request has them. Never shortens the present lease or minimum hold. One round
     * trip. Of a lock that is {@linkplain LockMode#READ read}, only the lease: others may share the rest.
     *
     * @param terms for the {@link #keys()} of this handle; its other values are ignored
     * @throws LockLostException when the lock was lost
     * @throws LockBackendException when the backend did not answer or cannot renew yet; the terms are unchanged
     * @throws LockInterruptedException when interrupted during the wait; the terms may be old or new
     * @throws IllegalStateException when this handle was released
     * @throws IllegalArgumentException when the keys differ, or a term breaks a limit of {@link LockRequest} or {@code
     *     distributed-lock.max-lease}
     */
    void extend(LockRequest terms);

    /**
     * Runs the callback once when the lock is lost, at the latest when the lease ends; at once if it is lost already,
     * never after a release.
     *
     * @param callback runs on a thread of the lock client and may block; exceptions are logged
     */
    void onLost(Runnable callback);

    /**
     * {@link #onLost(Runnable)} for a step that comes after the callbacks registered there have returned. It does not
     * run if the lock client's stop is the cause of the loss, since the application then ends its own threads.
     *
     * @param callback runs on a thread of the lock client; exceptions are logged
     */
    void afterLost(Runnable callback);

    /** {@return what happens to the work under this hold when the lock is lost; never {@code AS_CONFIGURED}} */
    OnLost onLost();

    /**
     * Reports that the work under this handle succeeded, so that its minimum hold applies if it {@linkplain
     * MinHoldIf#SUCCESS depends on that}. Call it after the work, directly before the release: without it, the work
     * counts as failed. Locked methods and {@link LockOperations#execute} call it. Idempotent; cannot be taken back;
     * without effect on other minimum holds, and after a loss or release. A loss of one of several locks that only
     * their release detects leaves the others kept. Sends no command.
     */
    void recordSuccess();

    /**
     * Gives up this hold; the owner's last release frees the lock, at once or as {@link LockRequest#mode} and a minimum
     * hold say. Idempotent; never throws for a lost lock or an
     * unreachable backend.
     *
     * @return the outcome
     */
    ReleaseOutcome release();

    /** {@return {@link #detach(Duration)} with the lease of this hold} */
    default LockTicket detach() {
        return detach(remainingLease());
    }

    /**
     * Ends this hold without freeing the lock, which is the ticket's from now: another instance, or this one,
     * {@linkplain LockOperations#attach attaches} it. Nothing renews it meanwhile: unless it is attached, it ends with
     * the lease. No crash takeover ends it earlier. Afterwards this handle is released. One round trip.
     *
     * @param lease of the ticket; from {@link LockRequest#MIN_LEASE} to {@code distributed-lock.max-lease}
     * @return the ticket; all that its reader does has greater fencing tokens
     * @throws LockLostException when the lock was lost
     * @throws LockBackendException when the lock is in doubt, or the store did not answer, or may have forgotten locks
     *     and passes none on yet
     * @throws LockInterruptedException when interrupted while the lock is in doubt. After each {@link LockException}
     *     this handle is released, as by {@link #release}, and no ticket is left
     * @throws IllegalStateException when the lock store cannot do it, the lock is read or has permits or a minimum
     *     hold, its thread has entered it again, this handle has several keys, or was released; nothing has changed
     * @throws IllegalArgumentException when the lease is out of range
     */
    default LockTicket detach(Duration lease) {
        throw new IllegalStateException("Locks '" + LockRequest.printable(key())
                + "' cannot be detached together: a ticket has one lock. Acquire and detach each alone");
    }

    /**
     * {@link #detach(Duration)} without blocking.
     *
     * @param lease of the ticket
     * @return the ticket, or its {@link LockException}, or {@link IllegalStateException} when this handle was released
     *     or its thread has entered the lock again; dependents run as those of {@link #closeAsync}
     * @throws IllegalStateException at once, when the lock store cannot do it, the lock has permits or a minimum hold,
     *     or this handle has several keys
     * @throws IllegalArgumentException at once, when the lease is out of range
     */
    default CompletableFuture<LockTicket> detachAsync(Duration lease) {
        return CompletableFuture.completedFuture(detach(lease));
    }

    /**
     * {@link #close()} without blocking.
     *
     * @return the outcome, or {@link LockLostException}; dependents run on a thread of the lock client, or at once if
     *     the outcome is known
     */
    CompletableFuture<ReleaseOutcome> closeAsync();

    /**
     * Re-enters the hold without a round trip, for asynchronous work nested in work that holds the lock. Lease and
     * renewal stay unchanged; the longest requested {@linkplain LockRequest#minHold minimum hold} applies.
     *
     * @param request some of {@link #keys()}, and the minimum hold
     * @return a handle with its own release; empty if this one was released
     * @throws LockLostException when the lock was lost
     * @throws LockBackendException when the lock is in doubt
     * @throws IllegalArgumentException when this handle lacks a key, or as {@link LockSource#acquire}
     */
    Optional<LockHandle> reenter(LockRequest request);

    /**
     * Turns a lock that only this handle has into one that is {@linkplain LockMode#READ read}, in one step: no other
     * owner writes in between. From this call on, others may read; the fencing token stays. Blocks until the store has
     * answered. No effect on a lock that is read already.
     *
     * @throws LockLostException when the lock was lost
     * @throws LockBackendException when all slots of readers are taken, or the store did not answer: then the lease is
     *     not renewed; call it again, or release the lock
     * @throws LockInterruptedException when interrupted; the lock may be read
     * @throws IllegalStateException when this handle was released, the hold has other handles, several permits or a
     *     minimum hold, or several keys are held
     * @throws IllegalArgumentException when the store has no locks for readers
     */
    void downgrade();

    /**
     * Releases and reports a loss. An unknown outcome is not thrown: the {@link LockListener}s receive it, and the lock
     * ends with its lease at the latest.
     *
     * @throws LockLostException when the lock was lost before this call
     */
    @Override
    void close();
}
