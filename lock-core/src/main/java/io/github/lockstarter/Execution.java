package io.github.lockstarter;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What became of an action that was to run only if its lock is free: it {@linkplain Executed ran}, with this result, or
 * it was {@linkplain Skipped skipped}. A result of null is a result: it does not mean that the action was skipped.
 *
 * @param <T> the action's result
 */
public sealed interface Execution<T extends @Nullable Object> {

    /**
     * Whether the action ran.
     *
     * @return false when another owner had the lock
     */
    default boolean wasExecuted() {
        return this instanceof Executed;
    }

    /**
     * The action's result, or a substitute where it did not run.
     *
     * @param substitute asked only if the action was skipped
     * @return the result; may be null if the action returned null
     */
    T orElseGet(Supplier<? extends T> substitute);

    /**
     * The action ran under the lock, and returned.
     *
     * @param <T> the action's result
     * @param result what it returned
     */
    record Executed<T extends @Nullable Object>(T result) implements Execution<T> {

        @Override
        public T orElseGet(Supplier<? extends T> substitute) {
            return result;
        }
    }

    /**
     * The action did not run, since another owner had the lock.
     *
     * @param <T> the action's result
     */
    record Skipped<T extends @Nullable Object>() implements Execution<T> {

        @Override
        public T orElseGet(Supplier<? extends T> substitute) {
            return substitute.get();
        }
    }
}
