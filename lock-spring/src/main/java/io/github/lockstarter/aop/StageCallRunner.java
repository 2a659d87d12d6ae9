package io.github.lockstarter.aop;

import io.github.lockstarter.LockBackendException;
import io.github.lockstarter.LockException;
import io.github.lockstarter.LockNotAcquiredException;
import io.github.lockstarter.LockOperations;
import io.github.lockstarter.LockRequest;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * Methods that return a {@link CompletionStage}: the lock is acquired without blocking, then the method is called, on a
 * thread of the lock client unless the grant comes at once, and the lock is released when its stage ends. No thread
 * owns the lock.
 */
final class StageCallRunner implements LockedCallRunner {

    private final Supplier<LockOperations> operations;
    private final CallersTransaction callersTransaction;
    private final ContentionHandler contention;

    StageCallRunner(
            Supplier<LockOperations> operations, CallersTransaction callersTransaction, ContentionHandler contention) {
        this.operations = operations;
        this.callersTransaction = callersTransaction;
        this.contention = contention;
    }

    /**
     * The method, and whether it was reached. The thread that calls the method writes the field before the stage ends.
     */
    @SuppressWarnings("NullAway") // it does not read @Nullable of a type argument: a stage may well end with null
    private static final class Body implements Supplier<CompletionStage<@Nullable Object>> {

        private final LockedMethod method;
        private final MethodInvocation invocation;
        private final CallersContext context = CallersContext.capture();
        private boolean isReached;

        private Body(LockedMethod method, MethodInvocation invocation) {
            this.method = method;
            this.invocation = invocation;
        }

        @Override
        public CompletionStage<@Nullable Object> get() {
            isReached = true;
            try {
                return context.call(() -> stageOf(method, DetachedInvocation.proceed(invocation)));
            } catch (Throwable e) {
                return CompletableFuture.failedFuture(e);
            }
        }
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
    public Object run(LockedMethod method, LockRequest request, MethodInvocation invocation) {
        callersTransaction.check(method, request);
        Body body = new Body(method, DetachedInvocation.of(invocation));
        CompletableFuture<@Nullable Object> execution = operations.get().executeAsync(request, body);
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
        LockedMethod method = body.method;
        Object handled;
        try {
            handled = body.context.<@Nullable Object>call(() -> contention.handle(method, body.invocation, refusal));
        } catch (Throwable e) {
            result.completeExceptionally(e);
            return;
        }
        if (handled == null) {
            result.complete(null);
        } else {
            stageOf(method, handled).whenComplete((value, failure) -> {
                if (failure != null && failure != refusal) {
                    failure.addSuppressed(refusal);
                }
                pass(value, failure, result);
            });
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
}
