package io.github.lockstarter.aop;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.IfContended;
import io.github.lockstarter.LockException;
import io.github.lockstarter.LockNotAcquiredException;
import io.github.lockstarter.SkippedCallListener.Outcome;
import io.github.lockstarter.scheduling.ScheduledLock;
import java.lang.reflect.Method;
import java.util.function.Consumer;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;

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

    /** Skips a {@link ScheduledLock} even in an outage: its scheduler would log a stack trace at every tick. */
    record Skip(Method method, @Nullable Object result) implements Contention {

        private static final Logger log = LoggerFactory.getLogger(Contention.class);

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
        return skips ? new Skip(method, EmptyResult.of(method, type, shape)) : new Throw();
    }
}
