package io.github.lockstarter.aop;

import io.github.lockstarter.LockBackendException;
import io.github.lockstarter.LockNotAcquiredException;
import io.github.lockstarter.LockOperations;
import io.github.lockstarter.SkippedCallListener;
import io.github.lockstarter.spi.BlockingWait;
import io.github.lockstarter.transaction.TransactionLocks;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;

/** Runs the calls of locked methods. The key is evaluated once, before the lock is acquired. Thread-safe. */
final class LockInterceptor implements MethodInterceptor {

    private final LockedMethods methods;
    private final Function<String, LockOperations> operations;
    private final SkippedCallListener skippedCalls;
    private final CallersTransaction callersTransaction = new CallersTransaction();

    LockInterceptor(
            LockedMethods methods, Function<String, LockOperations> operations, SkippedCallListener skippedCalls) {
        this.methods = methods;
        this.operations = operations;
        this.skippedCalls = skippedCalls;
    }

    @Override
    public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
        LockedMethod method = lockedMethod(invocation);
        LockedCall call = new LockedCall(
                method,
                method.requestFor(invocation.getArguments()),
                operations.apply(method.locks()),
                (ProxyMethodInvocation) invocation,
                skippedCalls);
        return switch (method.shape()) {
            case BLOCKING, ASYNC_THREAD -> runBlocking(call);
            case STAGE -> {
                callersTransaction.outlives(call); // such a method is never kept until the end of a transaction
                yield new StageCall(call).run();
            }
            case REACTIVE -> ReactiveCall.run(call); // linked only where Reactor is there
        };
    }

    private LockedMethod lockedMethod(MethodInvocation invocation) {
        Object target = invocation.getThis();
        // Not the class behind a target that is a proxy itself: the pointcut has seen the proxy's, such as a
        // repository's.
        Class<?> type = target == null ? invocation.getMethod().getDeclaringClass() : target.getClass();
        return methods.find(invocation.getMethod(), type)
                .orElseThrow(() ->
                        new IllegalStateException("The target of " + LockStartException.describe(invocation.getMethod())
                                + " was replaced by a " + type.getName()
                                + ", whose method has no @DistributedLock; the method did not run"));
    }

    /**
     * The work ends when the method returns, or this is the thread of {@code @Async}, which waits for its future: the
     * lock is held by this thread. An exception from inside of the method is never taken for contention.
     */
    @SuppressWarnings("NullAway") // it does not read @Nullable of a type argument: a body may well return null
    private @Nullable Object runBlocking(LockedCall call) throws Throwable {
        AtomicBoolean isReached = new AtomicBoolean();
        Object result;
        try {
            if (callersTransaction.outlives(call)) {
                TransactionLocks.releaseAfterCompletion(
                        call.locks().acquire(call.request())); // the body enters this hold
            }
            result = call.locks().<@Nullable Object, Throwable>execute(call.request(), () -> {
                isReached.setPlain(true);
                return proceed(call);
            });
        } catch (LockNotAcquiredException | LockBackendException e) {
            if (isReached.getPlain()) {
                throw e;
            }
            return call.handle(e);
        }
        checkEnded(call, result);
        return result;
    }

    private static @Nullable Object proceed(LockedCall call) throws Throwable {
        Object result = call.invocation().proceed();
        if (call.method().shape() == MethodShape.ASYNC_THREAD && result != null) {
            awaitEnd(call, (Future<?>) result);
        }
        return result;
    }

    /** Spring waits for it next, on this thread, and passes its result on. */
    private static void awaitEnd(LockedCall call, Future<?> work) {
        if (work instanceof CompletionStage<?> stage) {
            CompletableFuture<Void> end = new CompletableFuture<>();
            stage.whenComplete((value, failure) -> end.complete(null));
            BlockingWait.awaitUninterruptibly(end);
        } else if (!work.isDone()) {
            throw new IllegalStateException(call.description() + " returned a "
                    + work.getClass().getTypeName()
                    + " that is not done, whose work continues although the lock is released now. Return a "
                    + "CompletableFuture");
        }
    }

    /** The start cannot refuse a method that declares Object: it has run, and the lock is released. */
    private static void checkEnded(LockedCall call, @Nullable Object result) {
        if (result != null
                && call.method().method().getReturnType() == Object.class
                && MethodShape.endsLater(result.getClass())) {
            throw new IllegalStateException(call.description() + " returned a "
                    + result.getClass().getTypeName() + ", whose work continues although " + call.lock()
                    + " is already released. " + MethodShape.ADVICE);
        }
    }
}
