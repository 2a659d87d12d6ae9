package io.github.lockstarter;

/**
 * The caller held the lock and lost it: its lease ended, or the backend has another owner. Work since then may overlap
 * with that owner's.
 */
public class LockLostException extends LockException {

    /**
     * Creates the exception.
     *
     * @param key the key
     * @param message why and when it was lost, and what to check
     */
    public LockLostException(String key, String message) {
        super(key, message, null);
    }
}
