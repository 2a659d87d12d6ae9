package io.github.lockstarter;

/**
 * The caller held the lock, or had a {@link LockTicket} for it, and lost it: the lease ended, or the backend has
 * another owner. Work since then may overlap with that owner's.
 */
public class LockLostException extends LockException {

    /**
     * Creates the exception.
     *
     * @param key key
     * @param message cause, time and remedy
     */
    public LockLostException(String key, String message) {
        super(key, message, null);
    }
}
