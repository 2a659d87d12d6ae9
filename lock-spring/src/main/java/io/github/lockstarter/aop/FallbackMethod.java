package io.github.lockstarter.aop;

import io.github.lockstarter.LockException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.KotlinDetector;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * One method that is called in place of a locked one: through the proxy of the bean, so that the advices of the
 * fallback apply, unless no proxy sees its call.
 *
 * @param method the method
 * @param contract the method of an interface that it implements, which a proxy of interfaces has
 * @param takesException whether its last parameter is the exception
 * @param isDirect whether no proxy sees its call
 */
record FallbackMethod(Method method, Optional<Method> contract, boolean takesException, boolean isDirect) {

    /** Makes it callable. */
    static FallbackMethod of(Method method, boolean takesException, Class<?> type) {
        ReflectionUtils.makeAccessible(method);
        Optional<Method> contract = ClassUtils.getAllInterfacesForClassAsSet(type).stream()
                .flatMap(each -> Arrays.stream(each.getMethods()))
                .filter(each -> each.getName().equals(method.getName())
                        && AopUtils.getMostSpecificMethod(each, type).equals(method))
                .findFirst();
        contract.ifPresent(ReflectionUtils::makeAccessible);
        return new FallbackMethod(method, contract, takesException, isHiddenFromProxies(method, type));
    }

    private static boolean isHiddenFromProxies(Method method, Class<?> type) {
        int modifiers = method.getModifiers();
        return Modifier.isPrivate(modifiers)
                || Modifier.isStatic(modifiers)
                || Modifier.isFinal(modifiers)
                || !(Modifier.isPublic(modifiers)
                        || Modifier.isProtected(modifiers)
                        || ClassUtils.getPackageName(method.getDeclaringClass())
                                .equals(ClassUtils.getPackageName(type)));
    }

    /**
     * Calls it with the arguments of the call.
     *
     * @param refusal why the lock was not acquired; suppressed in what the fallback throws, unless that has it already
     */
    @Nullable
    Object call(MethodInvocation invocation, LockException refusal) throws Throwable {
        @Nullable Object[] arguments = invocation.getArguments();
        if (takesException) {
            arguments = withException(arguments, refusal);
        }
        try {
            return invoke(invocation, arguments);
        } catch (InvocationTargetException e) {
            Throwable thrown = e.getTargetException();
            if (!mentions(thrown, refusal)) {
                thrown.addSuppressed(refusal);
            }
            throw thrown;
        }
    }

    /** Printed twice, a cause would be cut off as a circular reference. */
    private static boolean mentions(Throwable thrown, LockException refusal) {
        Set<Throwable> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        for (Throwable each = thrown; each != null && seen.add(each); each = each.getCause()) {
            if (each == refusal || List.of(each.getSuppressed()).contains(refusal)) {
                return true;
            }
        }
        return false;
    }

    /** In another class loader it is another package: the call would run on the proxy, whose fields are not set. */
    private boolean isOverriddenBy(Object proxy) {
        boolean isLocalToPackage = (method.getModifiers() & (Modifier.PUBLIC | Modifier.PROTECTED)) == 0;
        return !isLocalToPackage
                || proxy.getClass().getClassLoader()
                        == method.getDeclaringClass().getClassLoader();
    }

    /** Last, but for the Continuation of a suspend function. */
    private @Nullable Object[] withException(@Nullable Object[] arguments, LockException refusal) {
        @Nullable Object[] extended = Arrays.copyOf(arguments, arguments.length + 1);
        int position = KotlinDetector.isSuspendingFunction(method) ? arguments.length - 1 : arguments.length;
        System.arraycopy(arguments, position, extended, position + 1, arguments.length - position);
        extended[position] = refusal;
        return extended;
    }

    private @Nullable Object invoke(MethodInvocation invocation, @Nullable Object[] arguments) throws Throwable {
        Object proxy = invocation instanceof ProxyMethodInvocation proxied ? proxied.getProxy() : null;
        if (!isDirect && proxy != null && method.getDeclaringClass().isInstance(proxy) && isOverriddenBy(proxy)) {
            return invoke(method, proxy, arguments);
        }
        if (!isDirect
                && contract.isPresent()
                && contract.get().getDeclaringClass().isInstance(proxy)) {
            return invoke(contract.get(), proxy, arguments);
        }
        Object target = invocation.getThis();
        while (AopUtils.isAopProxy(target) && target instanceof Advised inner) {
            target = inner.getTargetSource().getTarget();
        }
        return invoke(method, target, arguments);
    }

    /** A suspend function becomes a publisher, as where an interceptor proceeds to one. */
    private static @Nullable Object invoke(Method called, @Nullable Object target, @Nullable Object[] arguments)
            throws Throwable {
        return KotlinDetector.isSuspendingFunction(called)
                ? AopUtils.invokeJoinpointUsingReflection(target, called, arguments)
                : called.invoke(target, arguments);
    }
}
