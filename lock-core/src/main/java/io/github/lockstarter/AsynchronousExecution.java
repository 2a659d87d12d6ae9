package io.github.lockstarter;

import java.lang.ref.WeakReference;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One call of {@link LockTemplate#executeAsync}.
 *
 * <p>The caller's thread starts it, a thread of the lock client continues with the grant, and the thread that completes
 * the stage with the release. {@link #result} is completed once: by the end of the action, a loss or the caller, who
 * gives up a wait but does not affect a running action.
 */
final class AsynchronousExecution<T extends @Nullable Object> {

    private final LockTemplate locks;
    private final LockSource source;
    private final LockRequest request;
    private final Supplier<? extends CompletionStage<T>> action;
    private final LockContext context = LockContext.current();
    private final CompletableFuture<T> result = new CompletableFuture<>();

    /** Kept even if code around the action fails after it. */
    private @Nullable CompletionStage<T> begun;

    AsynchronousExecution(
            LockTemplate locks, LockSource source, LockRequest request, Supplier<? extends CompletionStage<T>> action) {
        this.locks = locks;
        this.source = source;
        this.request = request;
        this.action = action;
    }

    /** The hold keeps this callback, so a strong reference to the handle would hide an abandoned lock. */
    private record LossNotice(WeakReference<LockHandle> handle, String key, CompletableFuture<?> result)
            implements Runnable {

        @Override
        public void run() {
            LockHandle held = handle.get();
            try {
                if (held == null) {
                    throw new LockLostException(
                            key,
                            "Lock '" + LockRequest.printable(key)
                                    + "' was lost: its action has ended without completing the stage that it returned");
                }
                held.ensureHeld();
            } catch (LockLostException e) {
                result.completeExceptionally(e);
            } catch (IllegalStateException released) {
                // the action has ended
            }
        }
    }

    CompletableFuture<T> start() {
        Optional<LockHandle> entered;
        try {
            entered = context.reenter(request, source.heldLocks());
        } catch (LockLostException | LockBackendException e) {
            return CompletableFuture.failedFuture(e);
        }
        if (entered.isPresent()) {
            run(entered.get());
            return result;
        }
        CompletableFuture<LockHandle> acquiring = source.acquireAsync(request);
        // Cleared with the grant, so that the result does not keep the handle reachable.
        AtomicReference<@Nullable CompletableFuture<LockHandle>> waiting = new AtomicReference<>(acquiring);
        acquiring.whenComplete((handle, failure) -> {
            waiting.set(null);
            if (failure == null) {
                run(handle);
            } else {
                result.completeExceptionally(unwrapped(failure));
            }
        });
        result.whenComplete(
                (value, failure) -> // if the caller completed it
                Optional.ofNullable(waiting.get()).ifPresent(unneeded -> unneeded.cancel(false)));
        return result;
    }

    private void run(LockHandle handle) {
        if (result.isDone()) {
            handle.closeAsync();
            return;
        }
        Throwable failure = null;
        try {
            if (handle.onLost() != OnLost.RETURN) {
                handle.onLost(new LossNotice(new WeakReference<>(handle), handle.key(), result));
            }
            LockedAction<CompletionStage<T>, RuntimeException> start = this::begin;
            context.with(handle).call(locks.around(request, handle, start));
        } catch (Throwable e) {
            failure = e;
        }
        CompletionStage<T> stage = begun;
        if (stage == null) {
            end(handle, null, failure == null ? new IllegalStateException("The action was not started") : failure);
        } else {
            endWith(stage, handle, failure);
        }
    }

    private CompletionStage<T> begin() {
        CompletionStage<T> stage = Objects.requireNonNull(action.get(), "The action returned no stage");
        begun = stage;
        return stage;
    }

    /**
     * @param startFailure failure of code around the action, after it returned its stage
     */
    private void endWith(CompletionStage<T> stage, LockHandle handle, @Nullable Throwable startFailure) {
        try {
            stage.whenComplete((value, failure) -> end(handle, value, startFailure == null ? failure : startFailure));
        } catch (Throwable e) { // a stage of the application may refuse dependents
            end(handle, null, e);
            return;
        }
        if (handle.onLost() == OnLost.INTERRUPT && stage instanceof Future<?> work) {
            WeakReference<Future<?>> known = new WeakReference<>(work); // its dependents have the handle
            handle.afterLost(() -> Optional.ofNullable(known.get()).ifPresent(running -> running.cancel(true)));
        }
    }

    @SuppressWarnings("NullAway") // the value of a stage that failed is not used
    private void end(LockHandle handle, @Nullable T value, @Nullable Throwable failure) {
        CompletableFuture<ReleaseOutcome> releasing;
        try {
            try {
                if (failure == null && !result.isDone()) { // a caller that gave up may try again
                    handle.recordSuccess();
                }
            } finally {
                releasing = handle.closeAsync();
            }
        } catch (RuntimeException | Error e) {
            releasing = CompletableFuture.failedFuture(e);
        }
        releasing.whenComplete((outcome, unreleased) -> {
            if (failure != null) {
                result.completeExceptionally(withSuppressed(unwrapped(failure), unreleased));
            } else if (unreleased != null && !isIgnored(handle, unwrapped(unreleased))) {
                result.completeExceptionally(unwrapped(unreleased));
            } else {
                result.complete(value);
            }
        });
    }

    private static boolean isIgnored(LockHandle handle, Throwable unreleased) {
        return handle.onLost() == OnLost.RETURN && unreleased instanceof LockLostException;
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
