package io.github.lockstarter.engine;

import io.github.lockstarter.HeldLock;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.Ownership;
import org.jspecify.annotations.Nullable;

/**
 * The owner of a hold: a thread, which may enter again, or the handle alone. Threads are compared by identity, since a
 * subclass of {@link Thread} may override its id and its {@code equals}. A hold keeps its thread reachable: until the
 * lock is released, or for as long as its loss is remembered for that thread. A hold that belongs to its handle keeps
 * the thread that acquired it reachable, with the stack of a virtual one, only if it is reported when it lasts long.
 *
 * @param thread the thread; null for a hold that belongs to its handle alone
 * @param acquiredBy the thread that acquired it; null if it was acquired asynchronously, or for a handle that no report
 *     is configured for
 * @param label the name of the acquiring thread, or {@link HeldLock#ASYNC}
 */
record HoldOwner(@Nullable Thread thread, @Nullable Thread acquiredBy, String label) {

    static final HoldOwner HANDLE = new HoldOwner(null, null, HeldLock.ASYNC);

    /** The owner of what the current thread asks for. */
    static HoldOwner of(LockRequest request, ResolvedRequest terms) {
        if (request.ownership() == Ownership.THREAD) {
            return currentThread();
        }
        Thread thread = Thread.currentThread();
        return new HoldOwner(null, terms.warnAfter().isZero() ? null : thread, thread.getName());
    }

    static HoldOwner currentThread() {
        Thread thread = Thread.currentThread();
        return new HoldOwner(thread, thread, thread.getName());
    }

    /** Whether it was a thread, and no code runs on it any more. */
    boolean hasEnded() {
        return thread != null && !thread.isAlive();
    }

    boolean isThread() {
        return thread != null;
    }
}
