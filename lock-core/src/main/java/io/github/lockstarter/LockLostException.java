package io.github.lockstarter;

/**
 * The lock was ours and is no longer: its lease ran out, or its owner was changed at the backend. Work done since may
 * overlap with another owner's.
 */
public final class LockLostException extends LockException {

    /**
     * Creates the exception.
     *
     * @param key the lock's key
     * @param message why and when it was lost, and what to check
     */
    public LockLostException(String key, String message) {
        super(key, message, null);
    }
}
