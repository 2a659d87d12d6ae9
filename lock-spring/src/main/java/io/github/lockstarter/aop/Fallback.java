package io.github.lockstarter.aop;

import io.github.lockstarter.LockBackendException;
import io.github.lockstarter.LockException;
import io.github.lockstarter.LockNotAcquiredException;
import io.github.lockstarter.LockStoreRecoveringException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.springframework.core.KotlinDetector;
import org.springframework.core.MethodParameter;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * The methods that are called in place of a locked one whose lock is not acquired: those with the name of the fallback
 * and the parameters of the locked method, by the exception that they take last.
 *
 * @param general the one that takes no exception; for contention alone
 * @param byException the others
 */
record Fallback(Optional<FallbackMethod> general, Map<Class<?>, FallbackMethod> byException) implements Contention {

    /** The exceptions that reach a fallback. */
    private static final List<Class<? extends LockException>> HANDLED =
            List.of(LockNotAcquiredException.class, LockBackendException.class, LockStoreRecoveringException.class);

    /**
     * Finds the fallbacks of a method.
     *
     * @throws InvalidLockDeclarationException when none takes a contended call, or one cannot be called
     */
    static Fallback of(Method method, Class<?> type, String name) {
        List<Method> candidates = new ArrayList<>();
        Map<Class<?>, FallbackMethod> byException = new LinkedHashMap<>();
        Optional<FallbackMethod> general = Optional.empty();
        for (Method candidate : named(name, type)) {
            if (!candidate.equals(method) && !overrides(method, candidate, type)) {
                candidates.add(candidate);
                Optional<FallbackMethod> fitting = fitting(candidate, method, type);
                if (fitting.isPresent() && fitting.get().takesException()) {
                    byException.putIfAbsent(checkedException(method, candidate, type), fitting.get());
                } else if (general.isEmpty()) {
                    general = fitting;
                }
            }
        }
        Fallback fallback = new Fallback(general, Map.copyOf(byException));
        if (fallback.accepting(LockNotAcquiredException.class).isEmpty()) {
            throw new InvalidLockDeclarationException(
                    method, problem(name, type, candidates), "Declare " + expected(method, name) + '.');
        }
        return fallback;
    }

    /** The fallback for an exception: the one that takes the nearest superclass. */
    Optional<FallbackMethod> accepting(Class<? extends LockException> exception) {
        for (Class<?> type = exception; type != null; type = type.getSuperclass()) {
            FallbackMethod nearest = byException.get(type);
            if (nearest != null) {
                return Optional.of(nearest);
            }
        }
        return exception == LockNotAcquiredException.class ? general : Optional.empty();
    }

    /** All that may be called. */
    Set<Method> methods() {
        return Stream.concat(general.stream(), byException.values().stream())
                .map(FallbackMethod::method)
                .collect(Collectors.toSet());
    }

    /** All of that name, the nearest to the class first, and no overridden one. */
    private static List<Method> named(String name, Class<?> type) {
        Stream<Method> all = Proxy.isProxyClass(type)
                ? Arrays.stream(type.getInterfaces()).flatMap(each -> Arrays.stream(each.getMethods()))
                : Arrays.stream(ReflectionUtils.getUniqueDeclaredMethods(type));
        return all.filter(method -> method.getName().equals(name))
                .filter(method -> !method.isBridge() && !method.isSynthetic())
                .toList();
    }

    /** Whether the candidate is the locked method itself, as an interface or a superclass declares it. */
    private static boolean overrides(Method method, Method candidate, Class<?> type) {
        return candidate.getName().equals(method.getName())
                && parameters(candidate, type).equals(parameters(method, type));
    }

    /** Empty for an overload that is something else. */
    private static Optional<FallbackMethod> fitting(Method candidate, Method method, Class<?> type) {
        if (KotlinDetector.isSuspendingFunction(candidate) != KotlinDetector.isSuspendingFunction(method)) {
            return Optional.empty();
        }
        List<Class<?>> expected = parameters(method, type);
        List<Class<?>> actual = parameters(candidate, type);
        boolean takesException =
                actual.size() == expected.size() + 1 && Throwable.class.isAssignableFrom(actual.get(actual.size() - 1));
        if (!actual.subList(0, takesException ? expected.size() : actual.size()).equals(expected)) {
            return Optional.empty();
        }
        checkResult(method, candidate, type);
        checkThrown(method, candidate);
        return Optional.of(FallbackMethod.of(candidate, takesException, type));
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

    private static Class<?> checkedException(Method method, Method candidate, Class<?> type) {
        List<Class<?>> parameters = parameters(candidate, type);
        Class<?> taken = parameters.get(parameters.size() - 1);
        if (HANDLED.stream().noneMatch(taken::isAssignableFrom)) {
            throw new InvalidLockDeclarationException(
                    method,
                    "the fallback " + InvalidLockDeclarationException.describe(candidate) + " is never called: no "
                            + ClassUtils.getShortName(taken) + " reaches a fallback.",
                    "Take LockNotAcquiredException, LockBackendException, LockStoreRecoveringException or a superclass of "
                            + "them; other exceptions go to the caller.");
        }
        return taken;
    }

    private static void checkResult(Method method, Method candidate, Class<?> type) {
        if (KotlinDetector.isSuspendingFunction(method)) {
            checkSuspendedResult(method, candidate);
            return;
        }
        ResolvableType expected = ResolvableType.forMethodReturnType(method, type);
        ResolvableType actual = ResolvableType.forMethodReturnType(candidate, type);
        if (!fits(method.getReturnType(), expected, candidate.getReturnType(), actual)) {
            throw new InvalidLockDeclarationException(
                    method,
                    "the fallback " + InvalidLockDeclarationException.describe(candidate) + " returns " + actual
                            + ", and the method returns " + expected + ".",
                    "Declare " + expected(method, candidate.getName()) + '.');
        }
    }

    /** All suspend functions return Object to Java. */
    private static void checkSuspendedResult(Method method, Method candidate) {
        Class<?> expected = new MethodParameter(method, -1).getParameterType();
        Class<?> actual = new MethodParameter(candidate, -1).getParameterType();
        if (!ClassUtils.isAssignable(expected, actual)) {
            throw new InvalidLockDeclarationException(
                    method,
                    "the fallback " + InvalidLockDeclarationException.describe(candidate) + " returns "
                            + actual.getTypeName() + ", and the function returns " + expected.getTypeName() + ".",
                    "Declare a suspend function '" + candidate.getName() + "' that returns what the locked one does.");
        }
    }

    private static boolean fits(Class<?> declared, ResolvableType expected, Class<?> fallback, ResolvableType actual) {
        if (declared.isPrimitive()) {
            return declared == fallback;
        }
        Class<?> returned = actual.resolve(fallback);
        return returned != void.class
                && ClassUtils.isAssignable(expected.resolve(declared), returned)
                && (returned.isPrimitive()
                        || expected.hasUnresolvableGenerics()
                        || actual.hasUnresolvableGenerics()
                        || expected.isAssignableFrom(actual));
    }

    /** An exception that the method does not declare would not go out as it is. */
    private static void checkThrown(Method method, Method candidate) {
        for (Class<?> thrown : candidate.getExceptionTypes()) {
            if (!ReflectionUtils.declaresException(method, thrown) && !isUnchecked(thrown)) {
                throw new InvalidLockDeclarationException(
                        method,
                        "the fallback " + InvalidLockDeclarationException.describe(candidate) + " declares "
                                + ClassUtils.getShortName(thrown) + ", which the method does not.",
                        "Declare it for both, or throw an unchecked exception.");
            }
        }
    }

    private static boolean isUnchecked(Class<?> thrown) {
        return RuntimeException.class.isAssignableFrom(thrown) || Error.class.isAssignableFrom(thrown);
    }

    private static String problem(String name, Class<?> type, List<Method> candidates) {
        String where = ClassUtils.getShortName(type);
        if (candidates.isEmpty()) {
            return "fallbackMethod is \"" + name + "\", and " + where + " has no other method of that name.";
        }
        String found = candidates.stream()
                .map(InvalidLockDeclarationException::describe)
                .sorted()
                .collect(Collectors.joining(", "));
        return "fallbackMethod is \"" + name + "\", and none of that name in " + where
                + " takes a call that is not granted the lock: " + found + ".";
    }

    private static String expected(Method method, String name) {
        String parameters = Arrays.stream(method.getGenericParameterTypes())
                .map(Fallback::shortName)
                .collect(Collectors.joining(", "));
        String start = "'" + shortName(method.getGenericReturnType()) + ' ' + name + '(' + parameters;
        return start + ")', or " + start + (parameters.isEmpty() ? "" : ", ") + "LockNotAcquiredException)'";
    }

    private static String shortName(Type type) {
        return type.getTypeName().replaceAll("\\b(?:[a-z]\\w*\\.)+", "");
    }
}
