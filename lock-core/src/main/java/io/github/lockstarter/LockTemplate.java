package io.github.lockstarter;

import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.concurrent.locks.Lock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Runs work under locks granted by a {@link LockSource}. Thread-safe. */
public class LockTemplate implements LockOperations {

    private final LockSource handles;
    private final LockSource sections;

    /**
     * Creates the template.
     *
     * @param source of the locks
     */
    public LockTemplate(LockSource source) {
        this(source, source);
    }

    /**
     * Creates a template that distinguishes who releases.
     *
     * @param handles for {@link #acquire}, {@link #tryAcquire} and {@link #acquireAsync}, whose caller releases
     * @param sections the same locks for the other methods, which release themselves, and {@link #asLock}
     */
    protected LockTemplate(LockSource handles, LockSource sections) {
        this.handles = Objects.requireNonNull(handles, "source");
        this.sections = Objects.requireNonNull(sections, "sections");
    }

    @Override
    public LockHandle acquire(LockRequest request) {
        return handles.acquire(completed(request));
    }

    @Override
    public Optional<LockHandle> tryAcquire(LockRequest request) {
        return handles.tryAcquire(completed(request));
    }

    @Override
    public CompletableFuture<LockHandle> acquireAsync(LockRequest request) {
        return handles.acquireAsync(completed(request));
    }

    @Override
    public HeldLocks heldLocks() {
        return handles.heldLocks();
    }

    @Override
    public Lock asLock(LockRequest request) {
        return new JdkLockAdapter(sections, completed(request));
    }

    @Override
    public <T extends @Nullable Object, X extends Throwable> T execute(LockRequest request, LockedAction<T, X> action)
            throws X {
        LockRequest completed = completed(request);
        return run(completed, sections.acquire(completed), action);
    }

    @Override
    public <T extends @Nullable Object, X extends Throwable> Execution<T> tryExecute(
            LockRequest request, LockedAction<T, X> action) throws X {
        LockRequest completed = completed(request);
        Optional<LockHandle> handle = sections.tryAcquire(completed);
        return handle.isEmpty()
                ? new Execution.Skipped<>()
                : new Execution.Executed<>(this.<T, X>run(completed, handle.get(), action));
    }

    @Override
    public <T extends @Nullable Object> CompletableFuture<T> executeAsync(
            LockRequest request, Supplier<? extends CompletionStage<T>> action) {
        return new AsynchronousExecution<>(this, sections, completed(request), action).start();
    }

    /**
     * Lets subclasses complete each request, for example with a name.
     *
     * @param request request
     * @return the request itself by default
     */
    protected LockRequest completed(LockRequest request) {
        return request;
    }

    /**
     * Lets subclasses wrap the action, or the start of an asynchronous one. The wrapper runs under the lock on the
     * action's thread and must run the action once. An asynchronous action keeps the lock until its stage ends, even if
     * the wrapper fails.
     *
     * @param request request
     * @param handle hold
     * @param action action
     * @return the action itself by default
     */
    protected <T extends @Nullable Object, X extends Throwable> LockedAction<T, X> around(
            LockRequest request, LockHandle handle, LockedAction<T, X> action) {
        return action;
    }

    private <T extends @Nullable Object, X extends Throwable> T run(
            LockRequest request, LockHandle handle, LockedAction<T, X> action) throws X {
        T result;
        try {
            LockedAction<T, X> body =
                    handle.onLost() == OnLost.INTERRUPT ? () -> InterruptibleBody.run(handle, action) : action;
            result = LockContext.callInside(handle, around(request, handle, body));
            if (isSuccess(result)) {
                handle.recordSuccess();
            }
        } catch (Throwable failure) {
            releaseAfter(handle, failure);
            throw failure;
        }
        releaseNormally(handle);
        return result;
    }

    /** Work that has failed, or continues after it returned, is none; nor is a future that cannot tell. */
    private static boolean isSuccess(@Nullable Object result) {
        if (!(result instanceof CompletionStage<?> stage)) {
            return !(result instanceof Future<?>);
        }
        try {
            CompletableFuture<?> work = stage.toCompletableFuture(); // a minimal stage refuses the questions below
            return work.isDone() && !work.isCompletedExceptionally();
        } catch (RuntimeException e) { // of a stage of the application, whose call has succeeded
            return false;
        }
    }

    private static void releaseNormally(LockHandle handle) {
        if (handle.onLost() == OnLost.RETURN) {
            handle.release();
        } else {
            handle.close();
        }
    }

    private static void releaseAfter(LockHandle handle, Throwable failure) {
        try {
            handle.close();
        } catch (RuntimeException | Error releasing) {
            if (releasing instanceof LockLostException && handle.onLost() == OnLost.INTERRUPT) {
                releasing.addSuppressed(failure);
                throw releasing;
            }
            if (releasing != failure) {
                failure.addSuppressed(releasing);
            }
        }
    }
}
