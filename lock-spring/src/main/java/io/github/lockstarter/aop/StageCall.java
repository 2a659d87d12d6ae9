package io.github.lockstarter.aop;

import io.github.lockstarter.LockBackendException;
import io.github.lockstarter.LockContext;
import io.github.lockstarter.LockException;
import io.github.lockstarter.LockNotAcquiredException;
import io.github.lockstarter.LockedAction;
import io.micrometer.context.ContextSnapshot;
import io.micrometer.context.ContextSnapshotFactory;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;
import org.springframework.util.ClassUtils;

/**
 * Acquires the lock without blocking, calls the method (on a thread of the lock client unless the lock is granted at
 * once), and releases the lock when the stage completes. No thread owns the lock.
 *
 * <p>{@code bodyStarted} is written before the stage completes.
 */
@SuppressWarnings("NullAway") // NullAway ignores @Nullable of type arguments; a stage may complete with null
final class StageCall {

    private final LockedCall call;
    private final CallersContext context = CallersContext.capture();
    private final LockContext locks = LockContext.current();
    private boolean bodyStarted;

    StageCall(LockedCall call) {
        this.call = call;
    }

    CompletableFuture<@Nullable Object> run() {
        CompletableFuture<@Nullable Object> execution = call.locks().executeAsync(call.request(), this::proceed);
        if (call.method().contention() instanceof Contention.Throw) {
            return execution;
        }
        CompletableFuture<@Nullable Object> result = new CompletableFuture<>();
        execution.whenComplete((value, failure) -> {
            boolean refused = failure instanceof LockNotAcquiredException || failure instanceof LockBackendException;
            if (refused && !bodyStarted) {
                handle((LockException) failure, result);
            } else {
                pass(value, failure, result);
            }
        });
        result.whenComplete((value, failure) -> execution.cancel(false)); // caller gave up
        return result;
    }

    private CompletionStage<@Nullable Object> proceed() {
        bodyStarted = true;
        try {
            return stageOf(context.call(call::proceedDetached));
        } catch (Throwable e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    @SuppressWarnings("unchecked")
    private CompletionStage<@Nullable Object> stageOf(@Nullable Object returned) {
        if (returned == null) {
            throw new IllegalStateException(call.description()
                    + " returned null, and no stage whose end releases the lock; it is released now");
        }
        return (CompletionStage<@Nullable Object>) returned;
    }

    private void handle(LockException refusal, CompletableFuture<@Nullable Object> result) {
        try {
            Object handled = context.call(() -> call.handle(locks, refusal));
            if (handled == null) {
                result.complete(null);
            } else {
                stageOf(handled).whenComplete((value, failure) -> pass(value, failure, result));
            }
        } catch (Throwable e) {
            result.completeExceptionally(e);
        }
    }

    private static void pass(
            @Nullable Object value, @Nullable Throwable failure, CompletableFuture<@Nullable Object> result) {
        if (failure == null) {
            result.complete(value);
        } else {
            result.completeExceptionally(failure);
        }
    }

    /** Runs code with the caller's thread-locals, such as a trace, on another thread. */
    @FunctionalInterface
    private interface CallersContext {

        @Nullable
        Object call(LockedAction<@Nullable Object, Throwable> part) throws Throwable;

        static CallersContext capture() {
            return Captured.IS_POSSIBLE ? Captured.ofThisThread() : LockedAction::run;
        }

        /** Separate, because it links only with the library on the class path. */
        final class Captured {

            private static final boolean IS_POSSIBLE = ClassUtils.isPresent(
                    "io.micrometer.context.ContextSnapshotFactory", Captured.class.getClassLoader());

            /** Excludes the caller's locks. */
            static CallersContext ofThisThread() {
                ContextSnapshot snapshot =
                        ContextSnapshotFactory.builder().build().captureAll();
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
                    LoggerFactory.getLogger(StageCall.class)
                            .warn("The thread-locals of this thread could not be restored behind a locked method", e);
                }
            }
        }
    }
}
