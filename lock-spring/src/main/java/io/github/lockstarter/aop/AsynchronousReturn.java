package io.github.lockstarter.aop;

import io.github.lockstarter.LockRequest;
import java.lang.reflect.Method;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.stream.BaseStream;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;

/**
 * Results whose work goes on, or begins, after the method has returned. Known at the start where the method declares
 * such a type, else when a method that declares Object returns one: then the lock is released before the work ends.
 */
final class AsynchronousReturn {

    /** Of libraries that the application may not have. */
    private static final Set<String> NAMES = Set.of(
            "org.reactivestreams.Publisher",
            "kotlinx.coroutines.flow.Flow",
            "kotlinx.coroutines.Deferred",
            "org.springframework.web.context.request.async.DeferredResult",
            "org.springframework.web.context.request.async.WebAsyncTask",
            "org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter",
            "org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody");

    /** What to declare instead of a type that is refused. */
    static final String ADVICE = "Declare CompletableFuture or CompletionStage; a suspend function in Kotlin; or, with "
            + "io.projectreactor:reactor-core, Mono, Flux, Publisher, Flow or the type of RxJava itself: the lock "
            + "is held until its work ends. Or lock a method that does the work before it returns, or use "
            + "LockTemplate.acquireAsync and release the handle when the work ends.";

    private static final ClassValue<Boolean> ENDS_LATER = new ClassValue<>() {
        @Override
        protected Boolean computeValue(Class<?> type) {
            return Future.class.isAssignableFrom(type)
                    || CompletionStage.class.isAssignableFrom(type)
                    || Callable.class.isAssignableFrom(type)
                    || BaseStream.class.isAssignableFrom(type)
                    || hasKnownName(type)
                    || isReactive(type);
        }
    };

    private AsynchronousReturn() {}

    /** Whether what a method returns stands for work that goes on. */
    static boolean endsLater(Class<?> returned) {
        return ENDS_LATER.get(returned);
    }

    /** What a method returns cannot be locked until its work ends. */
    static InvalidLockDeclarationException refused(Method method, String action) {
        return new InvalidLockDeclarationException(
                method,
                "it returns " + ResolvableType.forMethodReturnType(method)
                        + ", so the lock would be released before the work ends.",
                action);
    }

    /**
     * Refuses the result of a method that declares no more than Object. The method has run, and the lock is released.
     *
     * @throws IllegalStateException when the result stands for work that goes on
     */
    static void checkResult(Method method, LockRequest request, @Nullable Object result) {
        if (result != null && method.getReturnType() == Object.class && ENDS_LATER.get(result.getClass())) {
            throw new IllegalStateException(InvalidLockDeclarationException.describe(method) + " returned a "
                    + result.getClass().getTypeName() + ", whose work continues although lock '"
                    + LockRequest.printable(String.join(", ", request.keys())) + "' is already released. " + ADVICE);
        }
    }

    private static boolean isReactive(Class<?> type) {
        return type != Object.class
                && ReactiveAdapterRegistry.getSharedInstance().getAdapter(type) != null;
    }

    private static boolean hasKnownName(Class<?> type) {
        for (Class<?> current = type; current != null; current = current.getSuperclass()) {
            if (NAMES.contains(current.getName())) {
                return true;
            }
        }
        return ClassUtils.getAllInterfacesForClassAsSet(type).stream()
                .map(Class::getName)
                .anyMatch(NAMES::contains);
    }
}
