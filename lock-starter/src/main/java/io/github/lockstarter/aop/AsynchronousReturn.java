package io.github.lockstarter.aop;

import java.lang.reflect.Method;
import java.util.concurrent.Callable;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.springframework.core.KotlinDetector;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;

/** Return types whose work goes on after the method has returned: the lock would be released before the work ends. */
final class AsynchronousReturn {

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
                && (ReactiveAdapterRegistry.getSharedInstance().getAdapter(type) != null
                        || superTypes(type).anyMatch(name -> name.equals("org.reactivestreams.Publisher")));
    }

    private static Stream<String> superTypes(Class<?> type) {
        return Stream.concat(
                Stream.of(type.getName()),
                Stream.of(ClassUtils.getAllInterfacesForClass(type)).map(Class::getName));
    }
}
