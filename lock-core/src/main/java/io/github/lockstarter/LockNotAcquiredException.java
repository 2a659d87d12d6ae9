package io.github.lockstarter;

/** Another owner held the lock for the whole wait. The attempt leaves nothing behind. */
public final class LockNotAcquiredException extends LockException {

    /**
     * Creates the exception.
     *
     * @param key key
     * @param message failure and remedy
     */
    public LockNotAcquiredException(String key, String message) {
        super(key, message, null);
    }
}
