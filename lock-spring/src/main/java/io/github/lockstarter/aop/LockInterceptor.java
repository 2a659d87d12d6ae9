package io.github.lockstarter.aop;

import io.github.lockstarter.LockOperations;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockedAction;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * Runs the call of a locked method under its lock. The key is evaluated once, before the lock is acquired. Thread-safe.
 */
final class LockInterceptor implements MethodInterceptor {

    private final LockedMethods methods;
    private final Supplier<LockOperations> operations;
    private final CallersTransactionWarning callersTransaction = new CallersTransactionWarning();

    LockInterceptor(LockedMethods methods, Supplier<LockOperations> operations) {
        this.methods = methods;
        this.operations = operations;
    }

    @Override
    @SuppressWarnings("NullAway") // it does not read @Nullable of a type argument: a body may well return null
    public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
        LockedMethod method = lockedMethod(invocation);
        LockRequest request = method.requestFor(invocation.getArguments());
        callersTransaction.warn(method.method(), request);
        LockedAction<@Nullable Object, Throwable> body = invocation::proceed;
        Object result = operations.get().execute(request, body);
        AsynchronousReturn.checkResult(method.method(), request, result);
        return result;
    }

    private LockedMethod lockedMethod(MethodInvocation invocation) {
        Object target = invocation.getThis();
        // Not the class behind a target that is a proxy itself: the pointcut has seen the proxy's, such as a
        // repository's.
        Class<?> type = target == null ? invocation.getMethod().getDeclaringClass() : target.getClass();
        return methods.find(invocation.getMethod(), type)
                .orElseThrow(() -> new IllegalStateException(
                        "The target of " + InvalidLockDeclarationException.describe(invocation.getMethod())
                                + " was replaced by a " + type.getName()
                                + ", whose method has no @DistributedLock; the method did not run"));
    }
}
