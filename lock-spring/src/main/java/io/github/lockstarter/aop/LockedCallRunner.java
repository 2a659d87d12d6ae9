package io.github.lockstarter.aop;

import io.github.lockstarter.LockException;
import io.github.lockstarter.LockOperations;
import io.github.lockstarter.LockRequest;
import java.util.function.Function;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/** Runs the calls of locked methods of one {@link MethodShape} under their locks. Thread-safe. */
abstract class LockedCallRunner {

    private final SkippedCallListener skippedCalls;
    private final Function<String, LockOperations> operations;

    LockedCallRunner(Function<String, LockOperations> operations, SkippedCallListener skippedCalls) {
        this.operations = operations;
        this.skippedCalls = skippedCalls;
    }

    /** Grants the locks of a method. */
    final LockOperations locksOf(LockedMethod method) {
        return operations.apply(method.locks());
    }

    /** Gives the caller of one call its result. The method has not run. */
    final @Nullable Object handle(LockedMethod method, MethodInvocation invocation, LockException refusal)
            throws Throwable {
        return method.contention()
                .handle(
                        invocation,
                        refusal,
                        outcome -> skippedCalls.skipped(method.request().name(), outcome));
    }

    /**
     * Runs one call.
     *
     * @param method the method that is called
     * @param request the lock of this call
     * @param invocation proceeds to the method
     * @return what the caller gets
     */
    abstract @Nullable Object run(LockedMethod method, LockRequest request, MethodInvocation invocation)
            throws Throwable;
}
