package io.github.lockstarter;

import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.Lock;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The {@link LockOperations} of the application: runs work under locks that a {@link LockSource} grants. Thread-safe.
 */
public class LockTemplate implements LockOperations {

    private final LockSource source;
    private final OnLost onLost;

    /**
     * Creates the template.
     *
     * @param source grants the locks
     * @param onLost what {@link #execute} does when the lock was lost under an action that ended normally
     */
    public LockTemplate(LockSource source, OnLost onLost) {
        this.source = Objects.requireNonNull(source, "source");
        this.onLost = Objects.requireNonNull(onLost, "onLost");
    }

    @Override
    public LockHandle acquire(LockRequest request) {
        return source.acquire(request);
    }

    @Override
    public Optional<LockHandle> tryAcquire(LockRequest request) {
        return source.tryAcquire(request);
    }

    @Override
    public CompletableFuture<LockHandle> acquireAsync(LockRequest request) {
        return source.acquireAsync(request);
    }

    @Override
    public HeldLocks heldLocks() {
        return source.heldLocks();
    }

    @Override
    public OnLost onLost() {
        return onLost;
    }

    @Override
    public Lock asLock(LockRequest request) {
        return new JdkLockAdapter(source, request);
    }

    @Override
    public <T extends @Nullable Object, X extends Throwable> T execute(LockRequest request, LockedAction<T, X> action)
            throws X {
        return run(source.acquire(request), action);
    }

    @Override
    public <T extends @Nullable Object, X extends Throwable> Execution<T> tryExecute(
            LockRequest request, LockedAction<T, X> action) throws X {
        Optional<LockHandle> handle = source.tryAcquire(request);
        return handle.isEmpty()
                ? new Execution.Skipped<>()
                : new Execution.Executed<>(this.<T, X>run(handle.get(), action));
    }

    @Override
    public <T extends @Nullable Object> CompletableFuture<T> executeAsync(
            LockRequest request, Supplier<? extends CompletionStage<T>> action) {
        return startAsync(request, action, UnaryOperator.identity());
    }

    /**
     * {@link #executeAsync} with something around the start of the action. The lock is held until the stage of the
     * action ends, also if what is around the start fails behind it.
     *
     * @param <T> the result of the action's stage
     * @param request what to lock
     * @param action what to start
     * @param around given the start, returns what runs in its place
     * @return as that of {@link #executeAsync}
     */
    protected final <T extends @Nullable Object> CompletableFuture<T> startAsync(
            LockRequest request,
            Supplier<? extends CompletionStage<T>> action,
            UnaryOperator<LockedAction<CompletionStage<T>, RuntimeException>> around) {
        return new AsynchronousExecution<T>(source, request, onLost, action, around).start();
    }

    private <T extends @Nullable Object, X extends Throwable> T run(LockHandle handle, LockedAction<T, X> action)
            throws X {
        T result;
        try {
            result = LockContext.callInside(handle, action);
        } catch (Throwable failure) {
            releaseAfter(handle, failure);
            throw failure;
        }
        release(handle);
        return result;
    }

    private void release(LockHandle handle) {
        if (onLost == OnLost.THROW) {
            handle.close();
        } else {
            handle.release();
        }
    }

    private static void releaseAfter(LockHandle handle, Throwable failure) {
        try {
            handle.close();
        } catch (RuntimeException | Error releasing) {
            if (releasing != failure) {
                failure.addSuppressed(releasing);
            }
        }
    }
}
