package io.github.lockstarter.observe;

import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockSource;

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
     * Called on the thread of a locked body, under the lock, right before the body.
     *
     * @param request what was asked for
     * @param handle the hold
     * @return closed on the same thread when the body has ended
     */
    Scope enter(LockRequest request, LockHandle handle);

    /** The end of what was entered. */
    @FunctionalInterface
    interface Scope extends AutoCloseable {

        /** Nothing was entered. */
        Scope NOTHING = () -> {};

        @Override
        void close();
    }
}
