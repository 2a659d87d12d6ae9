package io.github.lockstarter.observe;

import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockSource;
import io.github.lockstarter.LockTemplate;
import io.github.lockstarter.LockedAction;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** A template that names unnamed requests and applies decorators. */
public final class DecoratedLockTemplate extends LockTemplate {

    private final List<LockDecorator> decorators;
    private final UnaryOperator<LockRequest> naming;

    /**
     * Creates the template.
     *
     * @param source grants the locks
     * @param decorators outermost first
     * @param naming names unnamed requests before any decorator sees them
     */
    public DecoratedLockTemplate(LockSource source, List<LockDecorator> decorators, UnaryOperator<LockRequest> naming) {
        this(source, source, decorators, naming);
    }

    /**
     * Creates a template that distinguishes who releases.
     *
     * @param handles as in {@link LockTemplate}
     * @param sections as in {@link LockTemplate}
     * @param decorators outermost first
     * @param naming names unnamed requests before any decorator sees them
     */
    public DecoratedLockTemplate(
            LockSource handles,
            LockSource sections,
            List<LockDecorator> decorators,
            UnaryOperator<LockRequest> naming) {
        super(decorated(handles, decorators), decorated(sections, decorators));
        this.decorators = List.copyOf(decorators);
        this.naming = naming;
    }

    @Override
    protected LockRequest completed(LockRequest request) {
        return request.name().equals(LockRequest.UNNAMED) ? naming.apply(request) : request;
    }

    private static LockSource decorated(LockSource source, List<LockDecorator> decorators) {
        LockSource around = source;
        for (int i = decorators.size() - 1; i >= 0; i--) {
            around = decorators.get(i).around(around);
        }
        return around;
    }

    @Override
    protected <T extends @Nullable Object, X extends Throwable> LockedAction<T, X> around(
            LockRequest request, LockHandle handle, LockedAction<T, X> action) {
        LockedAction<T, X> around = action;
        for (int i = decorators.size() - 1; i >= 0; i--) {
            LockDecorator decorator = decorators.get(i);
            LockedAction<T, X> body = around;
            around = () -> decorator.run(request, handle, body);
        }
        return around;
    }
}
