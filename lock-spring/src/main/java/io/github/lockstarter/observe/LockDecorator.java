package io.github.lockstarter.observe;

import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockSource;
import io.github.lockstarter.LockedAction;
import org.jspecify.annotations.Nullable;

/** Something around locks and locked bodies, such as a span or the context of a log. Thread-safe. */
public interface LockDecorator {

    /**
     * Puts itself around the locks that a source grants.
     *
     * @param source grants the locks
     * @return the same locks; the source itself unless there is something to put around them
     */
    default LockSource around(LockSource source) {
        return source;
    }

    /**
     * Runs a locked body, or the start of one that ends with a stage. Called on the thread of the body, under the lock;
     * not for publishers, whose work is on no thread.
     *
     * @param <T> the body's result
     * @param <X> what the body may throw
     * @param request what was asked for
     * @param handle the hold
     * @param body runs once, on this thread
     * @return the body's result
     * @throws X when the body throws it
     */
    <T extends @Nullable Object, X extends Throwable> T run(
            LockRequest request, LockHandle handle, LockedAction<T, X> body) throws X;
}
