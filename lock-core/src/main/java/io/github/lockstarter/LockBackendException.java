package io.github.lockstarter;

import org.jspecify.annotations.Nullable;

/**
 * The backend could not be asked, did not answer in time, or refused: whether the lock is free cannot be told. What an
 * unanswered command may have acquired is released in the background.
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
