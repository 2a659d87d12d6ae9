package io.github.lockstarter.aop;

import io.github.lockstarter.LockBackendException;
import io.github.lockstarter.LockNotAcquiredException;
import io.github.lockstarter.LockOperations;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.spi.BlockingWait;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * Methods whose work ends when they return, and those that run on the thread of {@code @Async}, which waits for their
 * future: the lock is held by the calling thread.
 */
final class BlockingCallRunner extends LockedCallRunner {

    private final CallersTransaction callersTransaction = new CallersTransaction();
    private final NonBlockingThreadWarning nonBlockingThreads = new NonBlockingThreadWarning();

    BlockingCallRunner(Function<String, LockOperations> operations, SkippedCallListener skippedCalls) {
        super(operations, skippedCalls);
    }

    /** An exception from inside of the method is never taken for contention. */
    @Override
    @SuppressWarnings("NullAway") // it does not read @Nullable of a type argument: a body may well return null
    @Nullable
    Object run(LockedMethod method, LockRequest request, MethodInvocation invocation) throws Throwable {
        nonBlockingThreads.warn(method, request);
        LockOperations locks = locksOf(method);
        AtomicBoolean isReached = new AtomicBoolean();
        Object result;
        try {
            if (callersTransaction.outlives(method, locks, request)) {
                callersTransaction.keep(locks.acquire(request)); // the body enters the same hold
            }
            result = locks.<@Nullable Object, Throwable>execute(request, () -> {
                isReached.setPlain(true);
                return proceed(method, invocation);
            });
        } catch (LockNotAcquiredException | LockBackendException e) {
            if (isReached.getPlain()) {
                throw e;
            }
            return handle(method, invocation, e);
        }
        AsynchronousReturn.checkResult(method.method(), request, result);
        return result;
    }

    private static @Nullable Object proceed(LockedMethod method, MethodInvocation invocation) throws Throwable {
        Object result = invocation.proceed();
        if (method.shape() == MethodShape.ASYNC_THREAD && result != null) {
            awaitEnd(method, (Future<?>) result);
        }
        return result;
    }

    /** Spring waits for it next, on this thread, and passes its result on. */
    private static void awaitEnd(LockedMethod method, Future<?> work) {
        if (work instanceof CompletionStage<?> stage) {
            CompletableFuture<Void> end = new CompletableFuture<>();
            stage.whenComplete((value, failure) -> end.complete(null));
            BlockingWait.awaitUninterruptibly(end);
        } else if (!work.isDone()) {
            throw new IllegalStateException(InvalidLockDeclarationException.describe(method.method()) + " returned a "
                    + work.getClass().getTypeName()
                    + " that is not done, whose work continues although the lock is released now. Return a "
                    + "CompletableFuture");
        }
    }
}
