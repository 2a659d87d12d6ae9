package io.github.lockstarter.aop;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.IfContended;
import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;

/** What becomes of the calls of a locked method whose lock is not acquired. Decided and checked at the start. */
sealed interface Contention permits Contention.Throw, Contention.Skip, Fallback {

    /** The exception goes out. */
    record Throw() implements Contention {}

    /**
     * The call returns without having run the method.
     *
     * @param result what it returns
     */
    record Skip(@Nullable Object result) implements Contention {}

    /**
     * Reads the annotation.
     *
     * @param method the method that runs
     * @param type the bean's own class
     * @param shape when the work of the method ends
     * @throws InvalidLockDeclarationException when the attributes contradict each other, there is nothing to return, or
     *     no fallback fits
     */
    static Contention of(Method method, Class<?> type, MethodShape shape, DistributedLock attributes) {
        boolean isSkipped = attributes.ifContended() == IfContended.SKIP;
        String fallback = attributes.fallbackMethod();
        if (!fallback.isEmpty()) {
            if (isSkipped) {
                throw new InvalidLockDeclarationException(
                        method,
                        "it has ifContended = SKIP and fallbackMethod = \"" + fallback + "\".",
                        "Leave out one of them: a call that is not granted the lock either has an outcome, or calls the "
                                + "fallback.");
            }
            return Fallback.of(method, type, fallback);
        }
        return isSkipped ? new Skip(EmptyResult.of(method, type, shape)) : new Throw();
    }
}
