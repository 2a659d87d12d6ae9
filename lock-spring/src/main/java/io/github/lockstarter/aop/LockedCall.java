package io.github.lockstarter.aop;

import io.github.lockstarter.LockContext;
import io.github.lockstarter.LockException;
import io.github.lockstarter.LockOperations;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.SkippedCallListener;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.interceptor.ExposeInvocationInterceptor;

/** One call of a locked method. */
record LockedCall(
        LockedMethod method,
        LockRequest request,
        LockOperations locks,
        ProxyMethodInvocation invocation,
        SkippedCallListener skippedCalls) {

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

    /** Inside the locks of enclosing work, which may release them meanwhile. */
    @Nullable
    Object handle(LockContext enclosing, LockException refusal) throws Throwable {
        LockContext before = enclosing.bind();
        try {
            return handle(refusal);
        } finally {
            before.bind();
        }
    }

    String description() {
        return LockStartException.describe(method.method());
    }
}
