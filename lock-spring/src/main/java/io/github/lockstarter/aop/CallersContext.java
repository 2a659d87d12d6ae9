package io.github.lockstarter.aop;

import io.github.lockstarter.LockContext;
import io.github.lockstarter.LockedAction;
import io.micrometer.context.ContextSnapshot;
import io.micrometer.context.ContextSnapshotFactory;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;
import org.springframework.util.ClassUtils;

/** Runs code with the caller's thread-locals, such as a trace, on another thread. */
@FunctionalInterface
interface CallersContext {

    @Nullable
    Object call(LockedAction<@Nullable Object, Throwable> part) throws Throwable;

    static CallersContext capture() {
        return Captured.IS_POSSIBLE ? Captured.ofThisThread() : LockedAction::run;
    }

    /** Separate, because it links only with the library on the class path. */
    final class Captured {

        private static final boolean IS_POSSIBLE =
                ClassUtils.isPresent("io.micrometer.context.ContextSnapshotFactory", Captured.class.getClassLoader());

        private Captured() {}

        /** Excludes the caller's locks. */
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

        /** Only logs a failure: the lock must stay held until the method's stage ends. */
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
