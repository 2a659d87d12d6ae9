package io.github.lockstarter.aop;

import java.lang.reflect.Method;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.springframework.core.KotlinDetector;
import org.springframework.core.MethodParameter;
import org.springframework.core.Nullness;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;

/** The result of a skipped call. Null stands for a stage that completes with null, or for an empty publisher. */
final class EmptyResult {

    private static final Map<Class<?>, Object> EMPTY = Map.of(
            Optional.class, Optional.empty(),
            OptionalInt.class, OptionalInt.empty(),
            OptionalLong.class, OptionalLong.empty(),
            OptionalDouble.class, OptionalDouble.empty());

    /** Spring 7 reads JSpecify annotations, including those of packages, and Kotlin types. */
    private static final boolean HAS_NULLNESS =
            ClassUtils.isPresent("org.springframework.core.Nullness", EmptyResult.class.getClassLoader());

    private EmptyResult() {}

    static @Nullable Object of(Method method, Class<?> type, MethodShape shape) {
        if (shape != MethodShape.BLOCKING) {
            checkMayBeEmpty(method, shape);
            return null;
        }
        Class<?> declared = method.getReturnType();
        if (declared == void.class) {
            return null;
        }
        Class<?> returned = ResolvableType.forMethodReturnType(method, type).resolve(declared);
        if (EMPTY.containsKey(returned)) {
            return EMPTY.get(returned);
        }
        if (declared.isPrimitive() || isNonNull(method)) {
            throw notSkippable(
                    method, (declared.isPrimitive() ? "" : "a non-null ") + ClassUtils.getShortName(returned));
        }
        return null;
    }

    /** Some reactive types require a value; some suspend functions are non-null. */
    private static void checkMayBeEmpty(Method method, MethodShape shape) {
        if (KotlinDetector.isSuspendingFunction(method)) {
            MethodParameter result = new MethodParameter(method, -1);
            if (result.getParameterType() != void.class && !isFlow(result) && !result.isOptional()) {
                throw notSkippable(method, "a non-null " + ClassUtils.getShortName(result.getParameterType()));
            }
        } else if (shape == MethodShape.REACTIVE && !canBeEmpty(method.getReturnType())) {
            throw notSkippable(method, "a " + ClassUtils.getShortName(method.getReturnType()) + ", which has a value");
        }
    }

    private static boolean canBeEmpty(Class<?> reactive) {
        ReactiveAdapter adapter = ReactiveAdapterRegistry.getSharedInstance().getAdapter(reactive);
        return adapter == null || adapter.supportsEmpty();
    }

    private static boolean isFlow(MethodParameter result) {
        return result.getParameterType().getName().equals("kotlinx.coroutines.flow.Flow");
    }

    private static LockStartException notSkippable(Method method, String returned) {
        return new LockStartException(
                method,
                "with ifContended = SKIP a skipped call has no result, and the method returns " + returned + ".",
                "Return a type that can be empty, such as an Optional (in Kotlin: a nullable type), or declare a "
                        + "fallbackMethod that returns the result of a skipped call.");
    }

    private static boolean isNonNull(Method method) {
        return HAS_NULLNESS ? SpringNullness.isNonNull(method) : isNonNullInKotlin(method);
    }

    private static boolean isNonNullInKotlin(Method method) {
        return KotlinDetector.isKotlinReflectPresent()
                && KotlinDetector.isKotlinType(method.getDeclaringClass())
                && !new MethodParameter(method, -1).isOptional();
    }

    /** Separate, because Spring 6 has no {@code Nullness}. */
    private static final class SpringNullness {

        private SpringNullness() {}

        static boolean isNonNull(Method method) {
            return Nullness.forMethodReturnType(method) == Nullness.NON_NULL;
        }
    }
}
