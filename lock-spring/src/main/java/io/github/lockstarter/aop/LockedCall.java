package io.github.lockstarter.aop;

import io.github.lockstarter.LockException;
import io.github.lockstarter.LockOperations;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.SkippedCallListener;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.interceptor.ExposeInvocationInterceptor;

/**
 * One call of a locked method.
 *
 * @param method the method that is called
 * @param request the lock of this call
 * @param locks grants it
 * @param invocation proceeds to the method
 * @param skippedCalls is told if the call ends without running the method
 */
record LockedCall(
        LockedMethod method,
        LockRequest request,
        LockOperations locks,
        ProxyMethodInvocation invocation,
        SkippedCallListener skippedCalls) {

    /**
     * Calls the method after its call has returned, on another thread, perhaps once more. Aspects on the way find the
     * invocation on this thread, as on that of the call.
     */
    @Nullable
    Object proceedDetached() throws Throwable {
        return ExposeInvocationInterceptor.INSTANCE.invoke(invocation.invocableClone());
    }

    /** Gives the caller its result. The method has not run. */
    @Nullable
    Object handle(LockException refusal) throws Throwable {
        return method.contention()
                .handle(
                        invocation,
                        refusal,
                        outcome -> skippedCalls.skipped(method.request().name(), outcome));
    }

    /** The method, for messages. */
    String description() {
        return LockStartException.describe(method.method());
    }

    /** The lock, for messages. */
    String lock() {
        return "lock '" + LockRequest.printable(String.join(", ", request.keys())) + "'";
    }
}
