package io.github.lockstarter;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * One hold of a lock, from acquire to release. Any thread may query, extend or release it. Thread-safe.
 *
 * <p>The handle may be passed to another thread, but the thread that acquired the lock stays its owner: it acquires the
 * key again at once, with the same fencing token, while the other thread works under the lock. So a pooled thread that
 * passes its handle on acquires the same key in its next task. For handles that change threads, use {@link
 * LockRequest#ownedByHandle()} or acquire asynchronously: no thread can then acquire the key again while it is held.
 *
 * <p>Every hold ends with a release by one of its handles: keep a handle reachable for as long as the lock is to be
 * held.
 *
 * <p>{@link #isHeld()} is answered from the local monotonic clock, counted from <em>before</em> the acquiring or
 * renewing command was sent and shortened by the clock allowance (drift); it turns false before another owner can get
 * in, when the lease ends or when the store takes the holder for crashed ({@link HoldState#IN_DOUBT}). A paused JVM
 * can still act on an answer that has become old: where a late write would do damage, hand {@link #fencingToken()} to
 * the resource and let it refuse smaller ones.
 */
public interface LockHandle extends AutoCloseable {

    /**
     * The handle of the innermost locked method or {@link LockOperations#execute} that runs on this thread, so that a
     * locked method can reach its fencing token. It belongs to the thread that runs the body, also where the handle
     * owns the lock. It is empty on threads that the body starts, and for locks that are held by {@link
     * LockOperations#acquire} alone. On a thread that carries the {@link LockContext} of asynchronous work, it is the
     * innermost of that, unless the thread has entered such a method since.
     *
     * @return the handle; empty outside of any
     */
    static Optional<LockHandle> current() {
        return LockContext.innermostOfThread();
    }

    /**
     * The handles of all locked methods and {@link LockOperations#execute} bodies that run on this thread, without
     * those of the {@link LockContext} that it carries.
     *
     * @return the handles, the innermost first; empty outside of any
     */
    static List<LockHandle> allCurrent() {
        return LockContext.bodiesOfThread();
    }

    /**
     * {@link #ensureHeld() Ensures} that every lock is held under which this thread runs, and blocks where that method
     * does: those of all locked methods and {@link LockOperations#execute} bodies it is in, not only the
     * innermost, and that no lock of the {@link LockContext} that it carries is lost. Nothing happens outside of any.
     *
     * @throws LockLostException when one is lost
     * @throws LockBackendException when one is still in doubt after the time that {@link #ensureHeld()} waits
     * @throws IllegalStateException when one was released by hand
     * @throws LockInterruptedException when the thread is interrupted while it waits for an answer of the store
     */
    static void ensureAllHeld() {
        LockContext.ensureAllOfThread();
    }

    /**
     * The locked key; for several keys, the keys joined by {@code ", "}.
     *
     * @return the key
     */
    String key();

    /**
     * All locked keys, sorted.
     *
     * @return at least one key
     */
    default List<String> keys() {
        return List.of(key());
    }

    /**
     * What the source of this lock holds. A lock of the same key that another source granted, such as one with another
     * store, is another lock.
     *
     * @return {@link LockSource#heldLocks()} of the source, the same object
     */
    HeldLocks heldBySource();

    /**
     * The number the protected resource checks: strictly greater than that of every earlier hold of this key. A nested
     * hold has the number of the outer one.
     *
     * @return the fencing token, a positive number below 2<sup>53</sup>
     * @throws IllegalStateException when several keys are held; ask {@link #fencingToken(String)}
     */
    long fencingToken();

    /**
     * Which of the lock's permits this is: a number that no other holder of the key has at the same time. Fencing
     * tokens grow for each slot, so a resource that refuses late writes keeps the last one of each slot.
     *
     * @return from 0 to the number of permits, less 1; 0 for a lock with one permit
     */
    default int slot() {
        return 0;
    }

    /**
     * The fencing token of one of several keys.
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
     * Time until the lease is over unless it is renewed, from the local clock; no network.
     *
     * @return the remaining lease, also while the lock is {@linkplain HoldState#IN_DOUBT in doubt}; zero when it is
     *     over or the handle was released
     */
    Duration remainingLease();

    /**
     * Whether this handle certainly holds the lock at this moment, from the local clock; no network.
     *
     * @return false once released or lost, and never true again after that; also false while the lock is {@linkplain
     *     HoldState#IN_DOUBT in doubt}
     */
    boolean isHeld();

    /**
     * What is known of this hold, from the local clock; no network.
     *
     * @return the state; of several locks, the state of the one that is the farthest from held
     */
    HoldState state();

    /**
     * Throws unless the lock is held. Call it before a step that must not happen without the lock.
     *
     * <p>If the lock is {@linkplain HoldState#IN_DOUBT in doubt}, asks the store whether it is still held, and blocks
     * until the store confirms it, the lock is lost, or one command timeout of the store is over (2 s by default). A
     * thread that must not block reads {@link #state()} instead.
     *
     * @throws LockLostException when the lock was lost
     * @throws LockBackendException when the lock is still in doubt after that time
     * @throws IllegalStateException when this handle was released
     * @throws LockInterruptedException when the thread is interrupted while it waits for the answer
     */
    void ensureHeld();

    /**
     * Begins the lease anew, and continues the hold on the terms that a request names, counted from now: lease,
     * renewal, longest hold and minimum time. What the request leaves open stays as it is; wait, ownership and name
     * stay in any case. Never shortens the lease or the minimum time that the lock already has. One round trip. For
     * holds without renewal, or to survive a longer outage than the lease allows: {@code
     * lock.extend(LockRequest.of("order:42").leasedFor(Duration.ofMinutes(5)))}.
     *
     * @param terms the terms, for the {@link #keys()} of this handle
     * @throws LockLostException when the lock is no longer ours
     * @throws LockBackendException when the backend did not answer; the terms are those of before, and the lease is at
     *     least what it was
     * @throws LockInterruptedException when interrupted while waiting for the answer; the terms may be either
     * @throws IllegalStateException when this handle was released
     * @throws IllegalArgumentException when the request is for other keys, its lease is above {@code
     *     distributed-lock.max-lease}, its minimum time above the lease, or its longest hold below
     */
    void extend(LockRequest terms);

    /**
     * Runs the callback when the lock is lost: once, on a thread of the lock client, at the latest at the end of the
     * lease, also when the backend cannot be reached. Runs at once if it is lost already, never after a release.
     *
     * @param callback what to do, such as cancelling the work; may block, an exception in it is logged
     */
    void onLost(Runnable callback);

    /**
     * Gives the hold up. The lock itself is released with the last hold of this owner. Harmless when repeated.
     *
     * @return the outcome; never throws for a lost lock or an unreachable backend
     */
    ReleaseOutcome release();

    /**
     * {@link #close()} without blocking a thread.
     *
     * @return completed with the outcome, or with {@link LockLostException} when the lock was lost before this call;
     *     never fails for an unreachable backend. Dependents run on a thread of the lock client, or at once if the
     *     outcome is known, never on an event loop
     */
    CompletableFuture<ReleaseOutcome> closeAsync();

    /**
     * Enters the hold once more, without a round trip: for asynchronous work inside of other asynchronous work that
     * holds the lock, since no thread owns it. The lock is released with the last handle of the hold. Lease and renewal
     * stay as they are; the lock is kept for the longest {@linkplain LockRequest#keptFor minimum time} that a caller of
     * the hold asked for.
     *
     * @param request which of {@link #keys()} to hold further, and for which minimum time
     * @return a handle with a release of its own; empty when this one was released
     * @throws LockLostException when the lock was lost
     * @throws LockBackendException when the lock is in doubt, since this method does not block to ask the store
     * @throws IllegalArgumentException when this handle does not hold one of the keys, or as {@link LockSource#acquire}
     */
    Optional<LockHandle> reenter(LockRequest request);

    /**
     * Releases, and makes a loss known: in a {@code try} block the exception is added to the body's, or thrown if the
     * body had none. An unknown outcome of the release itself is not an error of the body: it is reported to the
     * {@link LockListener}s, and the lock ends with its lease at the latest.
     *
     * @throws LockLostException when the lock was lost before this call
     */
    @Override
    void close();
}
