package io.github.lockstarter.aop;

import java.lang.reflect.Method;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import org.springframework.core.KotlinDetector;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.scheduling.annotation.Async;
import org.springframework.util.ClassUtils;

/** When the work of a method ends, which decides how its calls are locked. Known at the start. */
enum MethodShape {
    /** The work ends when the method returns. */
    BLOCKING,
    /** The method runs on the thread of {@code @Async}, which waits there for the future that it returns. */
    ASYNC_THREAD,
    /** The work ends with the {@link CompletionStage} that the method returns. */
    STAGE,
    /** The work of each subscription ends with the publisher that the method returns; so do suspend functions. */
    REACTIVE;

    private static final boolean REACTOR = isPresent("reactor.core.publisher.Flux");
    private static final boolean COROUTINES = isPresent("kotlinx.coroutines.reactor.MonoKt");

    private static boolean isPresent(String type) {
        return ClassUtils.isPresent(type, MethodShape.class.getClassLoader());
    }

    /**
     * The shape of a method.
     *
     * @param type the bean's own class
     * @throws InvalidLockDeclarationException when its work ends later, in a way that cannot be locked
     */
    static MethodShape of(Method method, Class<?> type) {
        boolean isSuspending = KotlinDetector.isSuspendingFunction(method);
        Class<?> returned = method.getReturnType();
        if (!isSuspending && !AsynchronousReturn.endsLater(returned)) {
            return BLOCKING;
        }
        if (Future.class.isAssignableFrom(returned) && isAsync(method, type)) {
            return ASYNC_THREAD;
        }
        if (returned == CompletableFuture.class || returned == CompletionStage.class) {
            return STAGE;
        }
        if (isSuspending && !(REACTOR && COROUTINES)) {
            throw AsynchronousReturn.refused(
                    method, "Add org.jetbrains.kotlinx:kotlinx-coroutines-reactor to the application.");
        }
        if (isSuspending || (REACTOR && ReactiveResult.canBeMade(returned))) {
            return REACTIVE;
        }
        throw AsynchronousReturn.refused(method, AsynchronousReturn.ADVICE);
    }

    /** Whether Spring runs the method on another thread, outside of the lock. */
    private static boolean isAsync(Method method, Class<?> type) {
        return MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY).isPresent(Async.class)
                || MergedAnnotations.from(type, SearchStrategy.TYPE_HIERARCHY).isPresent(Async.class);
    }

    /** Whether the work goes on after the method has returned. */
    boolean endsLater() {
        return this == STAGE || this == REACTIVE;
    }
}
