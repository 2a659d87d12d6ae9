package io.github.lockstarter;

import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * One asynchronous action under a lock: acquires without blocking, starts the action, and releases when its stage ends.
 *
 * <p>The caller's thread starts it; a thread of the lock client goes on with the grant, or the thread that completes
 * the stage with the release. The one mutable state is {@link #result}, which is completed once: by the end, by a loss,
 * or by the caller. Completing it gives up a wait, and has no effect on an action that runs.
 */
final class AsynchronousExecution<T extends @Nullable Object> {

    private final LockSource source;
    private final LockRequest request;
    private final OnLost onLost;
    private final LockedAction<? extends CompletionStage<T>, ?> action;
    private final LockContext context = LockContext.current();
    private final CompletableFuture<T> result = new CompletableFuture<>();

    /**
     * An execution, not started.
     *
     * @param source grants the lock, unless the caller is asynchronous work that holds it
     */
    AsynchronousExecution(
            LockSource source,
            LockRequest request,
            OnLost onLost,
            LockedAction<? extends CompletionStage<T>, ?> action) {
        this.source = source;
        this.request = request;
        this.onLost = onLost;
        this.action = action;
    }

    CompletableFuture<T> start() {
        Optional<LockHandle> entered;
        try {
            entered = context.reenter(request, source.heldLocks());
        } catch (LockLostException e) {
            return CompletableFuture.failedFuture(e);
        }
        if (entered.isPresent()) {
            run(entered.get());
            return result;
        }
        CompletableFuture<LockHandle> acquiring = source.acquireAsync(request);
        acquiring.whenComplete((handle, failure) -> {
            if (failure == null) {
                run(handle);
            } else {
                result.completeExceptionally(unwrapped(failure));
            }
        });
        result.whenComplete((value, failure) -> acquiring.cancel(false)); // gives up, if the caller completed it
        return result;
    }

    private void run(LockHandle handle) {
        if (result.isDone()) {
            handle.releaseUnused();
            return;
        }
        if (onLost == OnLost.THROW) {
            handle.onLost(() -> reportLoss(handle));
        }
        try {
            LockContext inside = context.with(handle, source.heldLocks());
            CompletionStage<T> stage = Objects.requireNonNull(inside.call(action), "The action returned no stage");
            stage.whenComplete((value, failure) -> end(handle, value, failure));
        } catch (Throwable failure) { // of the stage, too: whoever wrote it may refuse dependents
            end(handle, null, failure);
        }
    }

    private void reportLoss(LockHandle handle) {
        try {
            handle.ensureHeld();
        } catch (LockLostException e) {
            result.completeExceptionally(e);
        } catch (IllegalStateException released) {
            // the action has ended
        }
    }

    @SuppressWarnings("NullAway") // the value of a stage that failed is not used
    private void end(LockHandle handle, @Nullable T value, @Nullable Throwable failure) {
        CompletableFuture<ReleaseOutcome> releasing;
        try {
            boolean reportsLoss = failure != null || onLost == OnLost.THROW;
            releasing = reportsLoss ? handle.closeAsync() : handle.releaseAsync();
        } catch (RuntimeException | Error e) {
            releasing = CompletableFuture.failedFuture(e);
        }
        releasing.whenComplete((outcome, unreleased) -> {
            if (failure != null) {
                result.completeExceptionally(withSuppressed(unwrapped(failure), unreleased));
            } else if (unreleased != null) {
                result.completeExceptionally(unwrapped(unreleased));
            } else {
                result.complete(value);
            }
        });
    }

    private static Throwable withSuppressed(Throwable failure, @Nullable Throwable unreleased) {
        if (unreleased != null && unwrapped(unreleased) != failure) {
            failure.addSuppressed(unwrapped(unreleased));
        }
        return failure;
    }

    private static Throwable unwrapped(Throwable failure) {
        Throwable cause = failure.getCause();
        return failure instanceof CompletionException && cause != null ? cause : failure;
    }
}
