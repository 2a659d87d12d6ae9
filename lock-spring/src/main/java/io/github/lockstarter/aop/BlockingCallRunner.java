package io.github.lockstarter.aop;

import io.github.lockstarter.LockBackendException;
import io.github.lockstarter.LockNotAcquiredException;
import io.github.lockstarter.LockOperations;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockedAction;
import io.github.lockstarter.spi.BlockingWait;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.function.Function;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * Methods whose work ends when they return, and those that run on the thread of {@code @Async}, which waits for their
 * future: the lock is held by the calling thread.
 */
final class BlockingCallRunner implements LockedCallRunner {

    private final Function<String, LockOperations> operations;
    private final CallersTransaction callersTransaction;
    private final ContentionHandler contention;
    private final NonBlockingThreadWarning nonBlockingThreads = new NonBlockingThreadWarning();

    BlockingCallRunner(
            Function<String, LockOperations> operations,
            CallersTransaction callersTransaction,
            ContentionHandler contention) {
        this.operations = operations;
        this.callersTransaction = callersTransaction;
        this.contention = contention;
    }

    /** The method, and whether it was reached: an exception from inside it is never taken for contention. */
    @SuppressWarnings("NullAway") // it does not read @Nullable of a type argument: a body may well return null
    private static final class Body implements LockedAction<@Nullable Object, Throwable> {

        private final LockedMethod method;
        private final MethodInvocation invocation;
        private boolean isReached;

        private Body(LockedMethod method, MethodInvocation invocation) {
            this.method = method;
            this.invocation = invocation;
        }

        @Override
        public @Nullable Object run() throws Throwable {
            isReached = true;
            Object result = invocation.proceed();
            if (method.shape() == MethodShape.ASYNC_THREAD && result != null) {
                awaitEnd((Future<?>) result);
            }
            return result;
        }

        /** Spring waits for it next, on this thread, and passes its result on. */
        private void awaitEnd(Future<?> work) {
            if (work instanceof CompletionStage<?> stage) {
                CompletableFuture<Void> end = new CompletableFuture<>();
                stage.whenComplete((value, failure) -> end.complete(null));
                BlockingWait.awaitUninterruptibly(end);
            } else if (!work.isDone()) {
                throw new IllegalStateException(InvalidLockDeclarationException.describe(method.method())
                        + " returned a " + work.getClass().getTypeName()
                        + " that is not done, whose work continues although the lock is released now. Return a "
                        + "CompletableFuture");
            }
        }
    }

    @Override
    public @Nullable Object run(LockedMethod method, LockRequest request, MethodInvocation invocation)
            throws Throwable {
        nonBlockingThreads.warn(method, request);
        Body body = new Body(method, invocation);
        Object result;
        try {
            result = execute(method, request, body);
        } catch (LockNotAcquiredException | LockBackendException e) {
            if (body.isReached) {
                throw e;
            }
            return contention.handle(method, invocation, e);
        }
        AsynchronousReturn.checkResult(method.method(), request, result);
        return result;
    }

    @SuppressWarnings("NullAway") // as above
    private @Nullable Object execute(LockedMethod method, LockRequest request, Body body) throws Throwable {
        LockOperations locks = operations.apply(method.locks());
        if (callersTransaction.outlives(method, locks, request)) {
            callersTransaction.keep(locks.acquire(request)); // the body enters the same hold
        }
        return locks.execute(request, body);
    }
}
