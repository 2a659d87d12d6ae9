package io.github.lockstarter.aop;

import io.github.lockstarter.LockException;
import io.github.lockstarter.LockNotAcquiredException;
import io.github.lockstarter.scheduling.ScheduledLock;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;

/** Gives the caller of a locked method what is declared for a call whose lock was not acquired. Thread-safe. */
final class ContentionHandler {

    private static final Logger log = LoggerFactory.getLogger(ContentionHandler.class);

    private final SkippedCallListener listener;

    ContentionHandler(SkippedCallListener listener) {
        this.listener = listener;
    }

    /**
     * Decides about one call. The method has not run.
     *
     * @param refusal why not
     * @return what the caller gets
     * @throws Throwable the refusal, unless the method declares otherwise, or what its fallback throws; a
     *     {@link ScheduledLock} skips the call with a warning if the store cannot be reached
     */
    @Nullable
    Object handle(LockedMethod method, MethodInvocation invocation, LockException refusal) throws Throwable {
        String name = method.request().name();
        if (method.contention() instanceof Contention.Skip skip) {
            if (refusal instanceof LockNotAcquiredException) {
                listener.skipped(name);
                return skip.result();
            }
            if (isScheduledLock(method)) {
                log.warn(
                        "{} did not run at this tick, since it is unknown whether another instance runs it: {}",
                        InvalidLockDeclarationException.describe(method.method()),
                        refusal.getMessage());
                return skip.result();
            }
        }
        if (method.contention() instanceof Fallback fallback
                && fallback.accepted().isInstance(refusal)) {
            listener.fellBack(name);
            return fallback.call(invocation, refusal);
        }
        throw refusal;
    }

    /** A scheduler logs each exception with its stack trace, at every tick of an outage. */
    private static boolean isScheduledLock(LockedMethod method) {
        return MergedAnnotations.from(method.method(), SearchStrategy.TYPE_HIERARCHY)
                .isPresent(ScheduledLock.class);
    }
}
