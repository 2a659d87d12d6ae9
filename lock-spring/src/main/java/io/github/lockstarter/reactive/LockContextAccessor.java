package io.github.lockstarter.reactive;

import io.github.lockstarter.LockContext;
import io.micrometer.context.ThreadLocalAccessor;
import org.jspecify.annotations.Nullable;

/**
 * Has context-propagation carry the {@link LockContext} of asynchronous work: from the Reactor context of a subscriber
 * to the thread that runs its operators, and from one thread to the next. So blocking code inside of such work finds
 * its lock by {@link io.github.lockstarter.LockHandle#current()}. Registered as a service.
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
