package io.github.lockstarter.aop;

import io.github.lockstarter.LockBackendException;
import io.github.lockstarter.LockContext;
import io.github.lockstarter.LockException;
import io.github.lockstarter.LockNotAcquiredException;
import io.github.lockstarter.LockOperations;
import io.github.lockstarter.LockRequest;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * Methods that return a {@link CompletionStage}: the lock is acquired without blocking, then the method is called, on a
 * thread of the lock client unless the grant comes at once, and the lock is released when its stage ends. No thread
 * owns the lock.
 */
final class StageCallRunner extends LockedCallRunner {

    private final CallersTransaction callersTransaction = new CallersTransaction();

    StageCallRunner(Function<String, LockOperations> operations, SkippedCallListener skippedCalls) {
        super(operations, skippedCalls);
    }

    /**
     * The method, and whether it was reached. The thread that calls the method writes the field before the stage ends.
     */
    @SuppressWarnings("NullAway") // it does not read @Nullable of a type argument: a stage may well end with null
    private static final class Body implements Supplier<CompletionStage<@Nullable Object>> {

        private final LockedMethod method;
        private final MethodInvocation invocation;
        private final CallersContext context = CallersContext.capture();
        private final LockContext locks = LockContext.current();
        private boolean isReached;

        private Body(LockedMethod method, MethodInvocation invocation) {
            this.method = method;
            this.invocation = invocation;
        }

        @Override
        public CompletionStage<@Nullable Object> get() {
            isReached = true;
            AtomicReference<@Nullable CompletionStage<@Nullable Object>> begun = new AtomicReference<>();
            try {
                return context.call(() -> {
                    CompletionStage<@Nullable Object> stage = stageOf(method, DetachedInvocation.proceed(invocation));
                    begun.set(stage);
                    return stage;
                });
            } catch (Throwable e) {
                CompletionStage<@Nullable Object> stage = begun.get();
                return stage == null ? CompletableFuture.failedFuture(e) : failing(stage, e);
            }
        }
    }

    /** Ends when the stage ends, and fails: the thread-locals could not be restored behind the method. */
    @SuppressWarnings("NullAway") // as above
    private static CompletionStage<@Nullable Object> failing(CompletionStage<@Nullable Object> stage, Throwable e) {
        return stage.handle((value, failure) -> e).thenCompose(CompletableFuture::failedFuture);
    }

    @SuppressWarnings("unchecked")
    private static CompletionStage<@Nullable Object> stageOf(LockedMethod method, @Nullable Object returned) {
        if (returned == null) {
            throw new IllegalStateException(InvalidLockDeclarationException.describe(method.method())
                    + " returned null, and no stage whose end releases the lock; it is released now");
        }
        return (CompletionStage<@Nullable Object>) returned;
    }

    @Override
    @SuppressWarnings("NullAway") // as above
    Object run(LockedMethod method, LockRequest request, MethodInvocation invocation) {
        LockOperations locks = locksOf(method);
        callersTransaction.check(method, locks, request);
        Body body = new Body(method, DetachedInvocation.of(invocation));
        CompletableFuture<@Nullable Object> execution = locks.executeAsync(request, body);
        if (method.contention() instanceof Contention.Throw) {
            return execution;
        }
        CompletableFuture<@Nullable Object> result = new CompletableFuture<>();
        execution.whenComplete((value, failure) -> {
            boolean isRefused = failure instanceof LockNotAcquiredException || failure instanceof LockBackendException;
            if (isRefused && !body.isReached) {
                handle(body, (LockException) failure, result);
            } else {
                pass(value, failure, result);
            }
        });
        result.whenComplete((value, failure) -> execution.cancel(false)); // gives up, if the caller completed it
        return result;
    }

    @SuppressWarnings("NullAway") // as above
    private void handle(Body body, LockException refusal, CompletableFuture<@Nullable Object> result) {
        try {
            Object handled = body.context.<@Nullable Object>call(
                    () -> body.locks.call(() -> handle(body.method, body.invocation, refusal)));
            if (handled == null) {
                result.complete(null);
            } else {
                stageOf(body.method, handled).whenComplete((value, failure) -> {
                    Throwable cause = unwrapped(failure);
                    if (cause != null && cause != refusal) {
                        cause.addSuppressed(refusal);
                    }
                    pass(value, failure, result);
                });
            }
        } catch (Throwable e) {
            result.completeExceptionally(e);
        }
    }

    private static @Nullable Throwable unwrapped(@Nullable Throwable failure) {
        Throwable cause = failure == null ? null : failure.getCause();
        return failure instanceof CompletionException && cause != null ? cause : failure;
    }

    private static void pass(
            @Nullable Object value, @Nullable Throwable failure, CompletableFuture<@Nullable Object> result) {
        if (failure == null) {
            result.complete(value);
        } else {
            result.completeExceptionally(failure);
        }
    }
}
