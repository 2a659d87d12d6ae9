package io.github.lockstarter.reactive;

import io.github.lockstarter.LockContext;
import io.micrometer.context.ThreadLocalAccessor;
import org.jspecify.annotations.Nullable;

/**
 * Carries the {@link LockContext} of asynchronous work from a subscriber's Reactor context to the operators' threads,
 * for {@link io.github.lockstarter.LockHandle#current()} in blocking code. Registered as a service for
 * context-propagation.
 */
public final class LockContextAccessor implements ThreadLocalAccessor<LockContext> {

    /** Created by the service loader. */
    public LockContextAccessor() {}

    @Override
    public Object key() {
        return LockContext.KEY;
    }

    @Override
    public @Nullable LockContext getValue() {
        LockContext context = LockContext.current();
        return context == LockContext.NONE ? null : context;
    }

    @Override
    public void setValue(LockContext value) {
        value.bind();
    }

    @Override
    public void setValue() {
        LockContext.NONE.bind();
    }
}
