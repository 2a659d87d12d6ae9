package io.github.lockstarter;

/**
 * The caller held the lock and has lost it: its lease ran out, or the backend has another owner. Work done since may
 * overlap with that of another owner.
 */
public class LockLostException extends LockException {

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
