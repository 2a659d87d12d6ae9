package io.github.lockstarter.aop;

import java.lang.reflect.Method;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.Future;
import org.springframework.core.KotlinDetector;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;

/** Return types whose work goes on after the method has returned: the lock would be released before the work ends. */
final class AsynchronousReturn {

    /** Of libraries that the application may not have. */
    private static final Set<String> NAMES = Set.of(
            "org.reactivestreams.Publisher",
            "org.springframework.web.context.request.async.DeferredResult",
            "org.springframework.web.context.request.async.WebAsyncTask",
            "org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter",
            "org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody");

    private AsynchronousReturn() {}

    /**
     * Refuses a method that returns before its work ends.
     *
     * @throws ImpossibleLockException when it does
     */
    static void check(Method method) {
        Class<?> type = method.getReturnType();
        boolean later = KotlinDetector.isSuspendingFunction(method)
                || Future.class.isAssignableFrom(type)
                || Callable.class.isAssignableFrom(type)
                || hasKnownName(type)
                || isReactive(type);
        if (later) {
            throw new ImpossibleLockException(
                    method,
                    "it returns " + ResolvableType.forMethodReturnType(method)
                            + ", so the lock would be released before the work ends.",
                    "Lock a method that does the work before it returns, or use LockTemplate.acquireAsync and release "
                            + "the handle when the work ends.");
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
