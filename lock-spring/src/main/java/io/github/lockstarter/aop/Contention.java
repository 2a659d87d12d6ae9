package io.github.lockstarter.aop;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.IfContended;
import io.github.lockstarter.LockException;
import io.github.lockstarter.LockNotAcquiredException;
import io.github.lockstarter.SkippedCallListener;
import io.github.lockstarter.scheduling.ScheduledLock;
import java.lang.reflect.Method;
import java.util.function.Consumer;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;

/** What becomes of the calls of a locked method whose lock is not acquired. Decided and checked at the start. */
sealed interface Contention permits Contention.Throw, Contention.Skip, Fallback {

    /**
     * Gives the caller of one call its result. The method has not run.
     *
     * @param refusal why not
     * @param skipped receives the outcome, unless the refusal is thrown
     * @return what the caller gets
     * @throws Throwable the refusal, unless the method declares otherwise, or what its fallback throws
     */
    @Nullable
    Object handle(MethodInvocation invocation, LockException refusal, Consumer<SkippedCallListener.Outcome> skipped)
            throws Throwable;

    /** The exception goes out. */
    record Throw() implements Contention {

        @Override
        public Object handle(
                MethodInvocation invocation, LockException refusal, Consumer<SkippedCallListener.Outcome> skipped) {
            throw refusal;
        }
    }

    /**
     * The call returns without having run the method. That of a {@link ScheduledLock} does so too if the store cannot
     * be reached: a scheduler logs each exception with its stack trace, at every tick of an outage.
     *
     * @param method the method
     * @param result what it returns
     */
    record Skip(Method method, @Nullable Object result) implements Contention {

        private static final Logger log = LoggerFactory.getLogger(Contention.class);

        @Override
        public @Nullable Object handle(
                MethodInvocation invocation, LockException refusal, Consumer<SkippedCallListener.Outcome> skipped) {
            if (refusal instanceof LockNotAcquiredException) {
                skipped.accept(SkippedCallListener.Outcome.EMPTY_RESULT);
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
    }

    /**
     * Reads the annotation.
     *
     * @param method the method that runs
     * @param type the bean's own class
     * @param shape when the work of the method ends
     * @throws LockStartException when the attributes contradict each other, there is nothing to return, or
     *     no fallback fits
     */
    static Contention of(Method method, Class<?> type, MethodShape shape, DistributedLock attributes) {
        boolean isSkipped = attributes.ifContended() == IfContended.SKIP;
        String fallback = attributes.fallbackMethod();
        if (!fallback.isEmpty()) {
            if (isSkipped) {
                throw new LockStartException(
                        method,
                        "it has ifContended = SKIP and fallbackMethod = \"" + fallback + "\".",
                        "Leave out one of them: a call that is not granted the lock either has an outcome, or calls "
                                + "the fallback.");
            }
            return Fallback.of(method, type, fallback);
        }
        return isSkipped ? new Skip(method, EmptyResult.of(method, type, shape)) : new Throw();
    }
}
