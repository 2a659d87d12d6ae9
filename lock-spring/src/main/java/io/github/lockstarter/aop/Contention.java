package io.github.lockstarter.aop;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.IfContended;
import io.github.lockstarter.LockException;
import io.github.lockstarter.LockNotAcquiredException;
import io.github.lockstarter.SkippedCallListener.Outcome;
import io.github.lockstarter.scheduling.ScheduledLock;
import java.lang.reflect.Method;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.Consumer;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.KotlinDetector;
import org.springframework.core.MethodParameter;
import org.springframework.core.Nullness;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;

/** The outcome of a call whose lock is not acquired. */
sealed interface Contention permits Contention.Throw, Contention.Skip, Fallback {

    /**
     * Returns the caller's result without running the method.
     *
     * @param skipped receives the outcome, unless the refusal is thrown
     * @throws Throwable the refusal, or an exception of the fallback
     */
    @Nullable
    Object handle(MethodInvocation invocation, LockException refusal, Consumer<Outcome> skipped) throws Throwable;

    record Throw() implements Contention {

        @Override
        public Object handle(MethodInvocation invocation, LockException refusal, Consumer<Outcome> skipped) {
            throw refusal;
        }
    }

    /**
     * Skips a {@link ScheduledLock} even in an outage: its scheduler would log a stack trace at every tick.
     *
     * @param result null stands for a stage that completes with null, or for an empty publisher
     */
    record Skip(Method method, @Nullable Object result) implements Contention {

        private static final Logger log = LoggerFactory.getLogger(Contention.class);
        private static final Map<Class<?>, Object> EMPTY = Map.of(
                Optional.class, Optional.empty(),
                OptionalInt.class, OptionalInt.empty(),
                OptionalLong.class, OptionalLong.empty(),
                OptionalDouble.class, OptionalDouble.empty());

        /** Spring 7 reads JSpecify annotations, including those of packages, and Kotlin types. */
        private static final boolean HAS_NULLNESS =
                ClassUtils.isPresent("org.springframework.core.Nullness", Contention.class.getClassLoader());

        static Skip of(Method method, Class<?> type, MethodShape shape) {
            return new Skip(method, emptyResult(method, type, shape));
        }

        @Override
        public @Nullable Object handle(MethodInvocation invocation, LockException refusal, Consumer<Outcome> skipped) {
            if (refusal instanceof LockNotAcquiredException) {
                skipped.accept(Outcome.EMPTY_RESULT);
            } else if (MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY)
                    .isPresent(ScheduledLock.class)) {
                log.warn(
                        "{} did not run at this tick, since it is unknown whether another instance runs it: {}",
                        LockStartException.describe(method),
                        refusal.getMessage());
            } else {
                throw refusal;
            }
            return result;
        }

        private static @Nullable Object emptyResult(Method method, Class<?> type, MethodShape shape) {
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
                throw notSkippable(
                        method, "a " + ClassUtils.getShortName(method.getReturnType()) + ", which has a value");
            }
        }

        private static boolean canBeEmpty(Class<?> reactive) {
            ReactiveAdapter adapter =
                    ReactiveAdapterRegistry.getSharedInstance().getAdapter(reactive);
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

            static boolean isNonNull(Method method) {
                return Nullness.forMethodReturnType(method) == Nullness.NON_NULL;
            }
        }
    }

    static Contention of(Method method, Class<?> type, MethodShape shape, DistributedLock attributes) {
        boolean skips = attributes.ifContended() == IfContended.SKIP;
        String fallback = attributes.fallbackMethod();
        if (!fallback.isEmpty()) {
            if (skips) {
                throw new LockStartException(
                        method,
                        "it has ifContended = SKIP and fallbackMethod = \"" + fallback + "\".",
                        "Remove one of them: a call that is not granted the lock either has an outcome, or calls "
                                + "the fallback.");
            }
            return Fallback.of(method, type, fallback);
        }
        return skips ? Skip.of(method, type, shape) : new Throw();
    }
}
