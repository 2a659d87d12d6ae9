package io.github.lockstarter;

import org.jspecify.annotations.Nullable;

/**
 * The lock store was unreachable, did not answer in time, or refused, so it is unknown whether the lock is free. The
 * client releases in the background what an unanswered command may have acquired.
 */
public sealed class LockBackendException extends LockException permits LockStoreRecoveringException {

    /**
     * Creates the exception.
     *
     * @param key the lock's key
     * @param message what failed and what to do
     * @param cause the client's failure, if there is one
     */
    public LockBackendException(String key, String message, @Nullable Throwable cause) {
        super(key, message, cause);
    }
}
