package io.github.lockstarter.engine;

import io.github.lockstarter.HeldLock;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.Ownership;
import org.jspecify.annotations.Nullable;

/**
 * Owner of a hold: a thread, which may enter again, or a handle. Threads are compared by identity: a subclass may
 * override {@code getId} and {@code equals}. A hold keeps its thread reachable until its release, or while its loss is
 * remembered; a hold of a handle keeps the acquiring thread, with a virtual one's stack, reachable only if long holds
 * are reported.
 *
 * @param thread null if the handle is the owner
 * @param acquiredBy acquiring thread; null if acquired asynchronously, or by a handle without reports of long holds
 * @param label name of the acquiring thread, or {@link HeldLock#ASYNC}
 */
record HoldOwner(@Nullable Thread thread, @Nullable Thread acquiredBy, String label) {

    static final HoldOwner HANDLE = new HoldOwner(null, null, HeldLock.ASYNC);

    static HoldOwner of(LockRequest request, ResolvedRequest resolved) {
        if (request.ownership() == Ownership.THREAD) {
            return currentThread();
        }
        Thread thread = Thread.currentThread();
        return new HoldOwner(null, resolved.warnAfter().isZero() ? null : thread, thread.getName());
    }

    static HoldOwner currentThread() {
        Thread thread = Thread.currentThread();
        return new HoldOwner(thread, thread, thread.getName());
    }

    boolean isThread() {
        return thread != null;
    }
}
