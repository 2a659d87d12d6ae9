package io.github.lockstarter.observe;

import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockSource;
import io.github.lockstarter.LockedAction;
import org.jspecify.annotations.Nullable;

/** Decorates acquisitions and locked bodies, for example with a span or the MDC. Thread-safe. */
public interface LockDecorator {

    /**
     * Decorates the source of locks.
     *
     * @param source grants the locks
     * @return by default the source
     */
    default LockSource around(LockSource source) {
        return source;
    }

    /**
     * Runs a locked body, or the start of an asynchronous one, on the body's thread and under the lock. Not called for
     * publishers, whose work has no fixed thread.
     *
     * @param <T> result
     * @param <X> exception
     * @param request request
     * @param handle hold
     * @param body must run once, on this thread
     * @return the body's result
     * @throws X if the body throws it
     */
    <T extends @Nullable Object, X extends Throwable> T run(
            LockRequest request, LockHandle handle, LockedAction<T, X> body) throws X;
}
