package io.github.lockstarter.observe;

import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockSource;
import io.github.lockstarter.LockTemplate;
import io.github.lockstarter.LockedAction;
import io.github.lockstarter.OnLost;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A template that puts something around locks and locked bodies. Only where there is something: else the plain one is used. */
public final class SurroundedLockTemplate extends LockTemplate {

    private final List<LockSurrounding> surroundings;

    /**
     * Creates the template.
     *
     * @param source grants the locks
     * @param onLost as in {@link LockTemplate}
     * @param surroundings what to put around, the outermost first
     */
    public SurroundedLockTemplate(LockSource source, OnLost onLost, List<LockSurrounding> surroundings) {
        super(surrounded(source, surroundings), onLost);
        this.surroundings = List.copyOf(surroundings);
    }

    private static LockSource surrounded(LockSource source, List<LockSurrounding> surroundings) {
        LockSource around = source;
        for (int i = surroundings.size() - 1; i >= 0; i--) {
            around = surroundings.get(i).around(around);
        }
        return around;
    }

    @Override
    public <T extends @Nullable Object, X extends Throwable> T execute(LockRequest request, LockedAction<T, X> action)
            throws X {
        return super.execute(request, () -> enter(0, request, action));
    }

    private <T extends @Nullable Object, X extends Throwable> T enter(
            int next, LockRequest request, LockedAction<T, X> action) throws X {
        if (next == surroundings.size()) {
            return action.run();
        }
        LockHandle handle = LockHandle.current().orElseThrow();
        LockSurrounding.Closing entered = surroundings.get(next).enter(request, handle);
        try {
            return enter(next + 1, request, action);
        } finally {
            entered.close();
        }
    }
}
