package io.github.lockstarter.aop;

import io.github.lockstarter.LockRequest;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/** Runs the calls of locked methods of one {@link MethodShape} under their locks. Thread-safe. */
interface LockedCallRunner {

    /**
     * Runs one call.
     *
     * @param method the method that is called
     * @param request the lock of this call
     * @param invocation proceeds to the method
     * @return what the caller gets
     */
    @Nullable
    Object run(LockedMethod method, LockRequest request, MethodInvocation invocation) throws Throwable;
}
