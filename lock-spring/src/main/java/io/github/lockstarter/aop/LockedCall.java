package io.github.lockstarter.aop;

import io.github.lockstarter.LockException;
import io.github.lockstarter.LockOperations;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.SkippedCallListener;
import io.github.lockstarter.transaction.CallersTransaction;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.interceptor.ExposeInvocationInterceptor;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.MethodClassKey;

/**
 * One call of a locked method.
 *
 * @param ownTransactions which methods suspend the transaction of their caller, as far as known
 */
record LockedCall(
        LockedMethod method,
        LockRequest request,
        LockOperations locks,
        ProxyMethodInvocation invocation,
        SkippedCallListener skippedCalls,
        Map<MethodClassKey, Boolean> ownTransactions)
        implements CallersTransaction.Caller {

    /**
     * Runs after the intercepted call has returned, possibly several times; aspects find the invocation on this thread.
     */
    @Nullable
    Object proceedDetached() throws Throwable {
        return ExposeInvocationInterceptor.INSTANCE.invoke(invocation.invocableClone());
    }

    @Nullable
    Object handle(LockException refusal) throws Throwable {
        return method.contention()
                .handle(
                        invocation,
                        refusal,
                        outcome -> skippedCalls.skipped(method.request().name(), outcome));
    }

    @Override
    public Object id() {
        return method.method();
    }

    @Override
    public String description() {
        return LockStartException.describe(method.method());
    }

    @Override
    public String lock() {
        return "lock '" + LockRequest.printable(String.join(", ", request.keys())) + "'";
    }

    @Override
    public String refusal() {
        return "the method did not run";
    }

    @Override
    public String cure() {
        return "Lock the method that opens the transaction, or give this one @Transactional(propagation = "
                + "Propagation.REQUIRES_NEW)";
    }

    @Override
    public boolean hasOwnTransaction() {
        Class<?> type = targetClass();
        return ownTransactions.computeIfAbsent(
                new MethodClassKey(method.method(), type),
                call -> AdviceOrderCheck.advicesInside(invocation.getProxy(), method.method())
                        .anyMatch(advice -> TransactionAdvice.suspendsTransaction(advice, method.method(), type)));
    }

    @Override
    public boolean isThreadOwner() {
        return !method.shape().endsLater();
    }

    private Class<?> targetClass() {
        Object target = invocation.getThis();
        return target == null ? method.method().getDeclaringClass() : AopUtils.getTargetClass(target);
    }
}
