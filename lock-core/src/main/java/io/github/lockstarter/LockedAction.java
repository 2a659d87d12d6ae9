package io.github.lockstarter;

import org.jspecify.annotations.Nullable;

/**
 * Work with a result, run under a lock.
 *
 * @param <T> result
 * @param <X> exception
 */
@FunctionalInterface
public interface LockedAction<T extends @Nullable Object, X extends Throwable> {

    /**
     * Does the work.
     *
     * @return its result
     * @throws X when the work fails
     */
    T run() throws X;
}
