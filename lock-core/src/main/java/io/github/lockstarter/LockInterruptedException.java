package io.github.lockstarter;

/** The calling thread was interrupted while it waited. Its interrupt flag is set again; nothing is left behind. */
public final class LockInterruptedException extends LockException {

    /**
     * Creates the exception.
     *
     * @param key the lock's key
     * @param message what was interrupted
     * @param cause the interrupt
     */
    public LockInterruptedException(String key, String message, InterruptedException cause) {
        super(key, message, cause);
    }
}
