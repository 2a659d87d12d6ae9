package io.github.lockstarter;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * One hold of a lock, from acquire to release. Thread-safe: any thread may query, extend or release it. Keep a handle
 * reachable for as long as the lock is to be held.
 *
 * <p>Passing the handle to another thread does not change the owner: the acquiring thread can re-enter the lock, with
 * the same fencing token, while the other thread works under it; a pooled thread may do so in its next task. For
 * handles that change threads, use {@link LockRequest#ownedByHandle()} or acquire asynchronously.
 *
 * <p>{@link #isHeld()} reads the local monotonic clock. The lease counts from <em>before</em> the acquiring or renewing
 * command was sent and is shortened by the clock allowance (drift), so the answer turns false before another owner can
 * get the lock. A paused JVM can still act on an outdated answer; where a late write would do damage, pass {@link
 * #fencingToken()} to the resource and let it refuse smaller ones.
 */
public interface LockHandle extends AutoCloseable {

    /**
     * The handle of the innermost locked method or {@link LockOperations#execute} body on this thread. Empty on threads
     * started by the body, and for locks from {@link LockOperations#acquire}. On a thread with a bound {@link
     * LockContext}, its innermost handle, unless the thread has entered a body since.
     *
     * @return the handle, if any
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
     * LockContext} is lost. Does nothing outside of any lock.
     *
     * @throws LockLostException as {@link #ensureHeld()}
     * @throws LockBackendException as {@link #ensureHeld()}
     * @throws IllegalStateException as {@link #ensureHeld()}
     * @throws LockInterruptedException as {@link #ensureHeld()}
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
     * Identifies the source of this lock: equal keys of different sources are different locks.
     *
     * @return {@link LockSource#heldLocks()} of the source, the same object
     */
    HeldLocks heldBySource();

    /**
     * Number for the protected resource to check, strictly greater than in every earlier hold of this key; equal in
     * nested holds.
     *
     * @return the fencing token, a positive number below 2<sup>53</sup>
     * @throws IllegalStateException when several keys are held; use {@link #fencingToken(String)}
     */
    long fencingToken();

    /**
     * Index of the held permit, unique among the simultaneous holders. Fencing tokens grow per slot, so a resource that
     * refuses late writes must remember one per slot.
     *
     * @return from 0 to the number of permits minus 1
     */
    default int slot() {
        return 0;
    }

    /**
     * The fencing token of one key.
     *
     * @param key one of {@link #keys()}
     * @return its fencing token
     * @throws IllegalArgumentException when this handle does not hold the key
     */
    default long fencingToken(String key) {
        if (!keys().contains(key)) {
            throw new IllegalArgumentException("This handle holds " + keys() + ", not '" + key + "'");
        }
        return fencingToken();
    }

    /**
     * {@return the time until the lease ends unless it is renewed, by the local clock; even {@linkplain
     * HoldState#IN_DOUBT in doubt}; zero once it ended or the handle was released}
     */
    Duration remainingLease();

    /**
     * Whether this handle certainly holds the lock now, by the local clock.
     *
     * @return false while {@linkplain HoldState#IN_DOUBT in doubt}; false forever once released or lost
     */
    boolean isHeld();

    /** {@return the state of this hold by the local clock; for several locks, the last in enum order among theirs} */
    HoldState state();

    /**
     * Throws unless the lock is held. Call it before a step that must not happen without the lock.
     *
     * <p>For a lock {@linkplain HoldState#IN_DOUBT in doubt}, asks the store and blocks until the lock is confirmed or
     * lost, or the store's command timeout (2 s by default) ends; {@link #state()} does not block.
     *
     * @throws LockLostException when the lock was lost
     * @throws LockBackendException when the lock is still in doubt after the wait
     * @throws IllegalStateException when this handle was released
     * @throws LockInterruptedException when interrupted during the wait
     */
    void ensureHeld();

    /**
     * Restarts the lease and changes the terms of the hold, counted from now: lease, renewal, longest hold and minimum
     * time, as far as the request sets them; wait, ownership and name are ignored. Never shortens the present lease or
     * minimum time. One round trip. For holds without renewal, or to survive longer outages: {@code
     * lock.extend(LockRequest.of("order:42").leasedFor(Duration.ofMinutes(5)))}.
     *
     * @param terms the new terms, for the {@link #keys()} of this handle
     * @throws LockLostException when the lock was lost
     * @throws LockBackendException when the backend did not answer or cannot renew yet; the terms are unchanged and the
     *     lease is no shorter
     * @throws LockInterruptedException when interrupted during the wait; the terms may be old or new
     * @throws IllegalStateException when this handle was released
     * @throws IllegalArgumentException when the keys differ, the lease is above {@code distributed-lock.max-lease}, the
     *     minimum time above the lease, or the longest hold below it
     */
    void extend(LockRequest terms);

    /**
     * Runs the callback once when the lock is lost, at the latest when the lease ends; at once if it is lost already,
     * never after a release.
     *
     * @param callback such as cancelling the work; runs on a thread of the lock client and may block; exceptions are
     *     logged
     */
    void onLost(Runnable callback);

    /**
     * Gives up this hold; the owner's last release frees the lock. Idempotent; never throws for a lost lock or an
     * unreachable backend.
     *
     * @return the outcome
     */
    ReleaseOutcome release();

    /**
     * {@link #close()} without blocking.
     *
     * @return the outcome, or {@link LockLostException} when the lock was lost before this call. Dependents run on a
     *     thread of the lock client, or at once if the outcome is known
     */
    CompletableFuture<ReleaseOutcome> closeAsync();

    /**
     * Re-enters the hold without a round trip, for asynchronous work nested in work that holds the lock. Lease and
     * renewal stay unchanged; the longest {@linkplain LockRequest#keptFor minimum time} requested for the hold applies.
     *
     * @param request some of {@link #keys()}, and the minimum time
     * @return a handle with its own release; empty if this one was released
     * @throws LockLostException when the lock was lost
     * @throws LockBackendException when the lock is in doubt, since this method does not block
     * @throws IllegalArgumentException when this handle lacks one of the keys, or as {@link LockSource#acquire}
     */
    Optional<LockHandle> reenter(LockRequest request);

    /**
     * Releases and reports a loss, which in a {@code try} block is suppressed in the body's exception. An unknown
     * outcome of the release is not thrown: the {@link LockListener}s receive it, and the lock ends with its lease at
     * the latest.
     *
     * @throws LockLostException when the lock was lost before this call
     */
    @Override
    void close();
}
