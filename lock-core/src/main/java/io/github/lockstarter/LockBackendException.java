package io.github.lockstarter;

import org.jspecify.annotations.Nullable;

/**
 * The store was unreachable, did not answer in time, or refused, so it is unknown whether the lock is free. The client
 * releases in the background whatever an unanswered command acquired.
 */
public sealed class LockBackendException extends LockException permits LockStoreRecoveringException {

    /**
     * Creates the exception.
     *
     * @param key key
     * @param message failure and remedy
     * @param cause client's failure, if any
     */
    public LockBackendException(String key, String message, @Nullable Throwable cause) {
        super(key, message, cause);
    }
}
