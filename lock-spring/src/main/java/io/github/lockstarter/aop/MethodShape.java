package io.github.lockstarter.aop;

import java.lang.reflect.Method;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
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

    /** What to declare instead of a type that is refused. */
    static final String ADVICE = "Declare CompletableFuture or CompletionStage; a suspend function in Kotlin; or, with "
            + "io.projectreactor:reactor-core, Mono, Flux, Publisher, Flow or the type of RxJava itself: the lock "
            + "is held until its work ends. Or lock a method that does the work before it returns, or use "
            + "LockTemplate.acquireAsync and release the handle when the work ends.";

    private static final boolean REACTOR = isPresent("reactor.core.publisher.Flux");
    private static final boolean COROUTINES = isPresent("kotlinx.coroutines.reactor.MonoKt");
    private static final String DEFERRED = "kotlinx.coroutines.Deferred";

    /** Results whose work goes on after the method, of libraries that the application may not have. */
    private static final Set<String> NAMES_OF_LATER_ENDS = Set.of(
            "org.reactivestreams.Publisher",
            "kotlinx.coroutines.flow.Flow",
            DEFERRED,
            "org.springframework.web.context.request.async.DeferredResult",
            "org.springframework.web.context.request.async.WebAsyncTask",
            "org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter",
            "org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody");

    /** Asked for each result of a method that declares Object. */
    private static final ClassValue<Boolean> ENDS_LATER = new ClassValue<>() {
        @Override
        protected Boolean computeValue(Class<?> result) {
            return Stream.of(Future.class, CompletionStage.class, Callable.class, BaseStream.class)
                            .anyMatch(later -> later.isAssignableFrom(result))
                    || hasKnownName(result)
                    || (result != Object.class && adapterOf(result) != null);
        }
    };

    private static boolean isPresent(String type) {
        return ClassUtils.isPresent(type, MethodShape.class.getClassLoader());
    }

    /**
     * The shape of a method.
     *
     * @param type the bean's own class
     * @throws LockStartException when its work ends later, in a way that cannot be locked
     */
    static MethodShape of(Method method, Class<?> type) {
        boolean isSuspending = KotlinDetector.isSuspendingFunction(method);
        Class<?> returned = method.getReturnType();
        if (!isSuspending && !endsLater(returned)) {
            return BLOCKING;
        }
        if (Future.class.isAssignableFrom(returned) && isAsync(method, type)) {
            return ASYNC_THREAD;
        }
        if (returned == CompletableFuture.class || returned == CompletionStage.class) {
            return STAGE;
        }
        if (isSuspending && !(REACTOR && COROUTINES)) {
            throw refused(method, "Add org.jetbrains.kotlinx:kotlinx-coroutines-reactor to the application.");
        }
        if (isSuspending || (REACTOR && isReactive(returned))) {
            return REACTIVE;
        }
        throw refused(method, ADVICE);
    }

    /** Whether the work of a result goes on, or begins, after the method has returned. */
    static boolean endsLater(Class<?> result) {
        return ENDS_LATER.get(result);
    }

    private static boolean hasKnownName(Class<?> type) {
        for (Class<?> current = type; current != null; current = current.getSuperclass()) {
            if (NAMES_OF_LATER_ENDS.contains(current.getName())) {
                return true;
            }
        }
        return ClassUtils.getAllInterfacesForClassAsSet(type).stream()
                .map(Class::getName)
                .anyMatch(NAMES_OF_LATER_ENDS::contains);
    }

    private static @Nullable ReactiveAdapter adapterOf(Class<?> type) {
        return ReactiveAdapterRegistry.getSharedInstance().getAdapter(type);
    }

    /** Whether a publisher can be given back as this very type, and is subscribed to before its work begins. */
    private static boolean isReactive(Class<?> type) {
        ReactiveAdapter adapter = adapterOf(type);
        return adapter != null
                && adapter.getReactiveType() == type
                && adapter.getDescriptor().isDeferred()
                && !type.getName().equals(DEFERRED);
    }

    /** Whether Spring runs the method on another thread, outside of the lock. */
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

    /** Whether the work goes on after the method has returned. */
    boolean endsLater() {
        return this == STAGE || this == REACTIVE;
    }
}
