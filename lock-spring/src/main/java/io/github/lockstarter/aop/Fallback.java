package io.github.lockstarter.aop;

import io.github.lockstarter.LockException;
import io.github.lockstarter.LockNotAcquiredException;
import io.github.lockstarter.SkippedCallListener.Outcome;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.KotlinDetector;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.MethodParameter;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils.MethodFilter;

/**
 * The method that replaces a call whose lock is not acquired. It runs through the bean's proxy, if the proxy can
 * intercept it.
 *
 * @param accepted handled exceptions
 */
record Fallback(Method method, Class<?> accepted, boolean takesException) implements Contention {

    static Fallback of(Method method, Class<?> type, String name) {
        List<Class<?>> expected = parameters(method, type);
        ResolvableType result = result(method, type);
        MethodFilter fits = each -> each.getName().equals(name)
                && !each.equals(method)
                && KotlinDetector.isSuspendingFunction(each) == KotlinDetector.isSuspendingFunction(method)
                && fits(parameters(each, type), expected)
                && result.isAssignableFromResolvedPart(result(each, type));
        Set<Method> declared = MethodIntrospector.selectMethods(type, fits);
        List<Method> found = declared.stream()
                .filter(each -> declared.stream().noneMatch(other -> hides(other, each, type)))
                .toList();
        if (found.size() != 1) {
            throw new LockStartException(
                    method,
                    "fallbackMethod is \"" + name + "\", and " + found.size() + " other methods of that name in "
                            + ClassUtils.getShortName(type) + " have its parameters and its result.",
                    "Declare one method '" + name + "' with the parameters and the result of the locked one, which "
                            + "may take a LockNotAcquiredException last, or a LockException to be called for a failure "
                            + "of the store, too.");
        }
        List<Class<?>> taken = parameters(found.get(0), type);
        boolean takesException = taken.size() > expected.size();
        Class<?> accepted = takesException ? taken.get(expected.size()) : LockNotAcquiredException.class;
        return new Fallback(found.get(0), accepted, takesException);
    }

    /** A search finds private and static methods of superclasses, because they do not override. */
    private static boolean hides(Method other, Method method, Class<?> type) {
        return other.getDeclaringClass() != method.getDeclaringClass()
                && method.getDeclaringClass().isAssignableFrom(other.getDeclaringClass())
                && parameters(other, type).equals(parameters(method, type));
    }

    /** Without the Continuation of a suspend function. */
    private static List<Class<?>> parameters(Method method, Class<?> type) {
        int count = method.getParameterCount() - (KotlinDetector.isSuspendingFunction(method) ? 1 : 0);
        List<Class<?>> types = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            types.add(ResolvableType.forMethodParameter(method, i, type).resolve(method.getParameterTypes()[i]));
        }
        return types;
    }

    /** One more parameter may take the exception. */
    private static boolean fits(List<Class<?>> parameters, List<Class<?>> expected) {
        int count = expected.size();
        return parameters.size() >= count
                && parameters.subList(0, count).equals(expected)
                && (parameters.size() == count
                        || (parameters.size() == count + 1
                                && Throwable.class.isAssignableFrom(parameters.get(count))
                                && parameters.get(count).isAssignableFrom(LockNotAcquiredException.class)));
    }

    /** The declared result: a suspend function's Java return type is Object. */
    private static ResolvableType result(Method method, Class<?> type) {
        return ResolvableType.forMethodParameter(new MethodParameter(method, -1).withContainingClass(type));
    }

    @Override
    public @Nullable Object handle(MethodInvocation invocation, LockException refusal, Consumer<Outcome> skipped)
            throws Throwable {
        if (!accepted.isInstance(refusal)) {
            throw refusal;
        }
        skipped.accept(Outcome.FALLBACK);
        Object target = invocation.getThis();
        while (AopUtils.isAopProxy(target) && target instanceof Advised inner) {
            target = inner.getTargetSource().getTarget();
        }
        Object proxy = ((ProxyMethodInvocation) invocation).getProxy();
        Method called = calledOn(proxy, target == null ? null : target.getClass());
        return AopUtils.invokeJoinpointUsingReflection(
                isSeenBy(proxy, called) ? proxy : target, called, arguments(invocation.getArguments(), refusal));
    }

    private Method calledOn(Object proxy, @Nullable Class<?> target) {
        return method.getDeclaringClass().isInstance(proxy)
                ? method
                : ClassUtils.getInterfaceMethodIfPossible(method, target);
    }

    /** Whether the advices of the proxy apply. */
    boolean isSeenBy(Object proxy) {
        return isSeenBy(proxy, calledOn(proxy, AopProxyUtils.ultimateTargetClass(proxy)));
    }

    private static boolean isSeenBy(Object proxy, Method called) {
        int modifiers = called.getModifiers();
        boolean inherited = (modifiers & (Modifier.PUBLIC | Modifier.PROTECTED)) != 0
                || called.getDeclaringClass().getPackage() == proxy.getClass().getPackage();
        return called.getDeclaringClass().isInstance(proxy)
                && inherited
                && (modifiers & (Modifier.PRIVATE | Modifier.STATIC | Modifier.FINAL)) == 0;
    }

    /** The exception is last, but before the Continuation of a suspend function. */
    private @Nullable Object[] arguments(@Nullable Object[] given, LockException refusal) {
        if (!takesException) {
            return given;
        }
        List<@Nullable Object> extended = new ArrayList<>(Arrays.asList(given));
        extended.add(given.length - (KotlinDetector.isSuspendingFunction(method) ? 1 : 0), refusal);
        return extended.toArray();
    }
}
