package io.github.lockstarter;

/**
 * Work without a result that runs under a lock.
 *
 * @param <X> what the work may throw
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
