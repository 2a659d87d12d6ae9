package io.github.lockstarter.reactive;

import io.github.lockstarter.LockContext;
import io.micrometer.context.ThreadLocalAccessor;
import org.jspecify.annotations.Nullable;

/**
 * Makes context-propagation carry the {@link LockContext} of asynchronous work, from a subscriber's Reactor context to
 * the operators' threads and between threads, so blocking code in such work can use {@link
 * io.github.lockstarter.LockHandle#current()}. Registered as a service.
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
