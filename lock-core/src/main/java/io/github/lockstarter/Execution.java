package io.github.lockstarter;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Outcome of {@link LockOperations#tryExecute}.
 *
 * @param <T> result
 */
public sealed interface Execution<T extends @Nullable Object> {

    /** {@return whether the action ran} */
    default boolean wasExecuted() {
        return this instanceof Executed;
    }

    /**
     * {@return the result, which may be null; the substitute if the action was skipped}
     *
     * @param substitute called only if skipped
     */
    T orElseGet(Supplier<? extends T> substitute);

    /**
     * The action ran under the lock and returned.
     *
     * @param <T> result
     * @param result return value; may be null
     */
    record Executed<T extends @Nullable Object>(T result) implements Execution<T> {

        @Override
        public T orElseGet(Supplier<? extends T> substitute) {
            return result;
        }
    }

    /**
     * The action did not run because another owner had the lock.
     *
     * @param <T> result
     */
    record Skipped<T extends @Nullable Object>() implements Execution<T> {

        @Override
        public T orElseGet(Supplier<? extends T> substitute) {
            return substitute.get();
        }
    }
}
