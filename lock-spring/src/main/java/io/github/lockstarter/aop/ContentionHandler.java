package io.github.lockstarter.aop;

import io.github.lockstarter.LockException;
import io.github.lockstarter.LockNotAcquiredException;
import java.util.Optional;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/** Gives the caller of a locked method what is declared for a call whose lock was not acquired. Thread-safe. */
final class ContentionHandler {

    private final SkippedCallListener listener;

    ContentionHandler(SkippedCallListener listener) {
        this.listener = listener;
    }

    /**
     * Decides about one call. The method has not run.
     *
     * @param refusal why not
     * @return what the caller gets
     * @throws Throwable the refusal, unless the method declares otherwise, or what its fallback throws
     */
    @Nullable
    Object handle(LockedMethod method, MethodInvocation invocation, LockException refusal) throws Throwable {
        String name = method.request().name();
        if (method.contention() instanceof Contention.Skip skip && refusal instanceof LockNotAcquiredException) {
            listener.skipped(name);
            return skip.result();
        }
        if (method.contention() instanceof Fallback fallback) {
            Optional<FallbackMethod> accepting = fallback.accepting(refusal.getClass());
            if (accepting.isPresent()) {
                listener.fellBack(name);
                return accepting.get().call(invocation, refusal);
            }
        }
        throw refusal;
    }
}
