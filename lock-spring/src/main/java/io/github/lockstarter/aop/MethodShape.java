package io.github.lockstarter.aop;

import java.lang.reflect.Method;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import java.util.stream.BaseStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.core.KotlinDetector;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.scheduling.annotation.Async;
import org.springframework.util.ClassUtils;

/** When a method's work ends, which decides how its calls are locked. */
enum MethodShape {
    BLOCKING,
    /** The thread of {@code @Async} runs the method and waits for the returned future. */
    ASYNC_THREAD,
    /** The work ends with the returned {@link CompletionStage}. */
    STAGE,
    /** The work of each subscription ends with the returned publisher. Includes suspend functions. */
    REACTIVE;

    static final String ADVICE = "Declare CompletableFuture or CompletionStage; a suspend function in Kotlin; or, with "
            + "io.projectreactor:reactor-core, Mono, Flux, Publisher, Flow or the type of RxJava itself: the lock "
            + "is held until its work ends. Or lock a method that does the work before it returns, or use "
            + "LockTemplate.acquireAsync and release the handle when the work ends.";

    private static final boolean REACTOR = isPresent("reactor.core.publisher.Flux");
    private static final boolean COROUTINES = isPresent("kotlinx.coroutines.reactor.MonoKt");
    private static final String DEFERRED = "kotlinx.coroutines.Deferred";

    /** By name, because the application may not have these libraries. */
    private static final Set<String> ASYNC_TYPE_NAMES = Set.of(
            "org.reactivestreams.Publisher",
            "kotlinx.coroutines.flow.Flow",
            DEFERRED,
            "org.springframework.web.context.request.async.DeferredResult",
            "org.springframework.web.context.request.async.WebAsyncTask",
            "org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter",
            "org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody");

    /** A method that declares Object checks each result. */
    private static final ClassValue<Boolean> IS_ASYNC = new ClassValue<>() {
        @Override
        protected Boolean computeValue(Class<?> result) {
            return Stream.of(Future.class, CompletionStage.class, Callable.class, BaseStream.class)
                            .anyMatch(later -> later.isAssignableFrom(result))
                    || result == Supplier.class // a class of the application may be one and be complete
                    || hasAsyncTypeName(result)
                    || (result != Object.class && adapterOf(result) != null);
        }
    };

    private static boolean isPresent(String type) {
        return ClassUtils.isPresent(type, MethodShape.class.getClassLoader());
    }

    static MethodShape of(Method method, Class<?> type) {
        boolean suspending = KotlinDetector.isSuspendingFunction(method);
        Class<?> returned = method.getReturnType();
        if (!suspending && !endsLater(returned)) {
            return BLOCKING;
        }
        if (Future.class.isAssignableFrom(returned) && isAsync(method, type)) {
            return ASYNC_THREAD;
        }
        if (returned == CompletableFuture.class || returned == CompletionStage.class) {
            return STAGE;
        }
        if (suspending && !(REACTOR && COROUTINES)) {
            throw refused(method, "Add org.jetbrains.kotlinx:kotlinx-coroutines-reactor to the application.");
        }
        if (suspending || (REACTOR && isReactive(returned))) {
            return REACTIVE;
        }
        throw refused(method, ADVICE);
    }

    static boolean endsLater(Class<?> result) {
        return IS_ASYNC.get(result);
    }

    private static boolean hasAsyncTypeName(Class<?> type) {
        for (Class<?> current = type; current != null; current = current.getSuperclass()) {
            if (ASYNC_TYPE_NAMES.contains(current.getName())) {
                return true;
            }
        }
        return ClassUtils.getAllInterfacesForClassAsSet(type).stream()
                .map(Class::getName)
                .anyMatch(ASYNC_TYPE_NAMES::contains);
    }

    private static @Nullable ReactiveAdapter adapterOf(Class<?> type) {
        return ReactiveAdapterRegistry.getSharedInstance().getAdapter(type);
    }

    /** Whether a publisher can be converted back to exactly this type and starts its work with the subscription. */
    private static boolean isReactive(Class<?> type) {
        ReactiveAdapter adapter = adapterOf(type);
        return adapter != null
                && adapter.getReactiveType() == type
                && adapter.getDescriptor().isDeferred()
                && !type.getName().equals(DEFERRED);
    }

    private static boolean isAsync(Method method, Class<?> type) {
        return MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY).isPresent(Async.class)
                || MergedAnnotations.from(type, SearchStrategy.TYPE_HIERARCHY).isPresent(Async.class);
    }

    private static LockStartException refused(Method method, String action) {
        return new LockStartException(
                method,
                "it returns " + ResolvableType.forMethodReturnType(method)
                        + ", so the lock would be released before the work ends.",
                action);
    }

    boolean endsLater() {
        return this == STAGE || this == REACTIVE;
    }
}
