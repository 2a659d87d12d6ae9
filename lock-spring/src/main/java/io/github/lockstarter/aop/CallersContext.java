package io.github.lockstarter.aop;

import io.github.lockstarter.LockContext;
import io.github.lockstarter.LockedAction;
import io.micrometer.context.ContextSnapshot;
import io.micrometer.context.ContextSnapshotFactory;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;
import org.springframework.util.ClassUtils;

/**
 * The thread-locals of a caller, for a method that runs on another thread: those that context-propagation knows, such
 * as a trace. None in an application without that library.
 */
@FunctionalInterface
interface CallersContext {

    /** Runs a part of the method with the thread-locals of the caller. */
    @Nullable
    Object call(LockedAction<@Nullable Object, Throwable> part) throws Throwable;

    /** Captures those of this thread. */
    static CallersContext capture() {
        return Captured.IS_POSSIBLE ? Captured.ofThisThread() : LockedAction::run;
    }

    /** Its methods are linked only where the library is there. */
    final class Captured {

        private static final boolean IS_POSSIBLE =
                ClassUtils.isPresent("io.micrometer.context.ContextSnapshotFactory", Captured.class.getClassLoader());

        private Captured() {}

        /** The locks under which the method runs are not those of the caller. */
        static CallersContext ofThisThread() {
            ContextSnapshot snapshot = ContextSnapshotFactory.builder().build().captureAll();
            return part -> {
                ContextSnapshot.Scope scope = snapshot.setThreadLocals(key -> !key.equals(LockContext.KEY));
                try {
                    return part.run();
                } finally {
                    close(scope);
                }
            };
        }

        /** The method has run, and its stage goes on: a failure must not release the lock. */
        private static void close(ContextSnapshot.Scope scope) {
            try {
                scope.close();
            } catch (RuntimeException | Error e) {
                LoggerFactory.getLogger(CallersContext.class)
                        .warn("The thread-locals of this thread could not be restored behind a locked method", e);
            }
        }
    }
}
