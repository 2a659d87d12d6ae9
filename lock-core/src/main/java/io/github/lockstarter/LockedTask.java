package io.github.lockstarter;

/**
 * Work without a result, run under a lock.
 *
 * @param <X> exception
 */
@FunctionalInterface
public interface LockedTask<X extends Throwable> {

    /**
     * Does the work.
     *
     * @throws X when the work fails
     */
    void run() throws X;
}
