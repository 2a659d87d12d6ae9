package io.github.lockstarter;

/** The lock stayed contended for the whole wait: somebody else holds it. Nothing of the attempt is left behind. */
public final class LockNotAcquiredException extends LockException {

    /**
     * Creates the exception.
     *
     * @param key the lock's key
     * @param message what failed, for how long, and what to do
     */
    public LockNotAcquiredException(String key, String message) {
        super(key, message, null);
    }
}
