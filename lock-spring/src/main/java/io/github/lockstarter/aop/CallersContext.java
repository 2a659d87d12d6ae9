package io.github.lockstarter.aop;

import io.github.lockstarter.LockContext;
import io.micrometer.context.ContextSnapshot;
import io.micrometer.context.ContextSnapshotFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;

/**
 * The thread-locals of a caller, for a method that runs on another thread: those that context-propagation knows, such
 * as a trace. None in an application without that library.
 */
interface CallersContext {

    /** What the method does on that thread. */
    interface Part<T extends @Nullable Object> {

        T call() throws Throwable;
    }

    /** Runs a part of the method with the thread-locals of the caller. */
    <T extends @Nullable Object> T call(Part<T> part) throws Throwable;

    /** Captures those of this thread. */
    static CallersContext capture() {
        return None.IS_ALL_THERE_IS ? None.NONE : Captured.ofThisThread();
    }

    /** Nothing is carried. */
    enum None implements CallersContext {
        NONE;

        private static final boolean IS_ALL_THERE_IS =
                !ClassUtils.isPresent("io.micrometer.context.ContextSnapshotFactory", None.class.getClassLoader());

        @Override
        public <T extends @Nullable Object> T call(Part<T> part) throws Throwable {
            return part.call();
        }
    }

    /**
     * Apart, since it is linked only where the library is there.
     *
     * @param snapshot the thread-locals
     */
    record Captured(ContextSnapshot snapshot) implements CallersContext {

        private static final ContextSnapshotFactory FACTORY =
                ContextSnapshotFactory.builder().build();

        static CallersContext ofThisThread() {
            return new Captured(FACTORY.captureAll());
        }

        /** The locks under which the method runs are not those of the caller. */
        @Override
        public <T extends @Nullable Object> T call(Part<T> part) throws Throwable {
            ContextSnapshot.Scope scope = snapshot.setThreadLocals(key -> !key.equals(LockContext.KEY));
            try {
                return part.call();
            } finally {
                scope.close();
            }
        }
    }
}
