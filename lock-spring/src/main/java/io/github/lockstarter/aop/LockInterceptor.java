package io.github.lockstarter.aop;

import io.github.lockstarter.LockOperations;
import io.github.lockstarter.LockRequest;
import java.util.function.Function;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.util.function.SingletonSupplier;

/**
 * Runs the call of a locked method under its lock. The key is evaluated once, before the lock is acquired. Thread-safe.
 */
final class LockInterceptor implements MethodInterceptor {

    private final LockedMethods methods;
    private final LockedCallRunner blocking;
    private final LockedCallRunner stages;

    /** Asked for with the first call of a reactive method, which an application without Reactor has not. */
    private final Supplier<LockedCallRunner> reactive;

    LockInterceptor(
            LockedMethods methods, Function<String, LockOperations> operations, SkippedCallListener skippedCalls) {
        this.methods = methods;
        this.blocking = new BlockingCallRunner(operations, skippedCalls);
        this.stages = new StageCallRunner(operations, skippedCalls);
        this.reactive = SingletonSupplier.of(() -> new ReactiveCallRunner(operations, skippedCalls));
    }

    @Override
    public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
        LockedMethod method = lockedMethod(invocation);
        LockRequest request = method.requestFor(invocation.getArguments());
        return switch (method.shape()) {
            case BLOCKING, ASYNC_THREAD -> blocking.run(method, request, invocation);
            case STAGE -> stages.run(method, request, invocation);
            case REACTIVE -> reactive.get().run(method, request, invocation);
        };
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
