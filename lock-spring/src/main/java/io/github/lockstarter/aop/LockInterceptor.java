package io.github.lockstarter.aop;

import io.github.lockstarter.LockBackendException;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockNotAcquiredException;
import io.github.lockstarter.LockOperations;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.OnLost;
import io.github.lockstarter.SkippedCallListener;
import io.github.lockstarter.spi.BlockingWait;
import io.github.lockstarter.transaction.CallersTransaction;
import io.github.lockstarter.transaction.TransactionLocks;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.core.MethodClassKey;

/** Runs locked methods. Evaluates the key once, before acquiring the lock. Thread-safe. */
final class LockInterceptor implements LockAdvice {

    private final LockedMethods methods;
    private final Function<String, LockOperations> operations;
    private final SkippedCallListener skippedCalls;
    private final CallersTransaction callersTransaction = new CallersTransaction();
    private final Map<MethodClassKey, Boolean> ownTransactions = new ConcurrentHashMap<>();

    LockInterceptor(
            LockedMethods methods, Function<String, LockOperations> operations, SkippedCallListener skippedCalls) {
        this.methods = methods;
        this.operations = operations;
        this.skippedCalls = skippedCalls;
    }

    @Override
    public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
        LockedMethod method = lockedMethod(invocation);
        Optional<LockRequest> request = method.requestFor(invocation.getArguments());
        if (request.isEmpty()) {
            return invocation.proceed();
        }
        LockedCall call = new LockedCall(
                method,
                request.get(),
                operations.apply(method.locks()),
                (ProxyMethodInvocation) invocation,
                skippedCalls);
        return switch (method.shape()) {
            case BLOCKING, ASYNC_THREAD -> runBlocking(call);
            case STAGE -> {
                shouldKeepLock(call); // only warns or rejects
                yield new StageCall(call).run();
            }
            case REACTIVE -> ReactiveCall.run(call); // links only with Reactor on the class path
        };
    }

    private LockedMethod lockedMethod(MethodInvocation invocation) {
        Object target = invocation.getThis();
        // The target may be a proxy, such as a repository; the pointcut matched its class.
        Class<?> type = target == null ? invocation.getMethod().getDeclaringClass() : target.getClass();
        return methods.find(invocation.getMethod(), type)
                .orElseThrow(() ->
                        new IllegalStateException("The target of " + LockStartException.describe(invocation.getMethod())
                                + " was replaced by a " + type.getName()
                                + ", whose method has no @DistributedLock; the method did not run"));
    }

    private boolean shouldKeepLock(LockedCall call) {
        LockedMethod method = call.method();
        CallersTransaction.LockingCaller caller = new CallersTransaction.LockingCaller(
                call.locks(),
                call.request(),
                method.inTransaction(),
                !method.shape().endsLater(),
                method::method,
                call::description,
                () -> hasOwnTransaction(call.invocation().getProxy(), method.method()),
                "Lock the method that opens the transaction, or give this one @Transactional(propagation = "
                        + "Propagation.REQUIRES_NEW)");
        return callersTransaction.shouldKeepLock(caller, "the method did not run");
    }

    private boolean hasOwnTransaction(Object proxy, Method method) {
        Class<?> type = AopProxyUtils.ultimateTargetClass(proxy);
        return ownTransactions.computeIfAbsent(
                new MethodClassKey(method, type), any -> AdviceOrderCheck.hasOwnTransaction(proxy, method, type));
    }

    /** The thread of {@code @Async} holds the lock until the future is done. */
    @SuppressWarnings("NullAway") // NullAway ignores @Nullable of type arguments; the body may return null
    private @Nullable Object runBlocking(LockedCall call) throws Throwable {
        AtomicBoolean isBodyStarted = new AtomicBoolean();
        LockRequest request = call.request();
        Object result;
        try {
            if (shouldKeepLock(call)) {
                TransactionLocks.releaseAfterCompletion(call.locks().acquire(request)); // execute() re-enters this hold
                request = request.minHold(Duration.ZERO); // the commit is the success
            }
            result = call.locks().<@Nullable Object, Throwable>execute(request, () -> {
                isBodyStarted.setPlain(true);
                return proceed(call);
            });
        } catch (LockNotAcquiredException | LockBackendException e) {
            if (isBodyStarted.getPlain()) {
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

    /** Spring waits for the result next, on this thread. */
    private static void awaitEnd(LockedCall call, Future<?> work) {
        if (work instanceof CompletionStage<?> stage) {
            LockHandle.current()
                    .filter(lock -> lock.onLost() == OnLost.INTERRUPT)
                    .ifPresent(lock -> lock.afterLost(() -> work.cancel(true)));
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

    /** A method that declares Object can only be rejected after it has run. */
    private static void checkEnded(LockedCall call, @Nullable Object result) {
        if (result != null
                && call.method().method().getReturnType() == Object.class
                && MethodShape.endsLater(result.getClass())) {
            throw new IllegalStateException(call.description() + " returned a "
                    + result.getClass().getTypeName() + ", whose work continues although lock '"
                    + LockRequest.printable(String.join(", ", call.request().keys()))
                    + "' is already released. " + MethodShape.ADVICE);
        }
    }
}
