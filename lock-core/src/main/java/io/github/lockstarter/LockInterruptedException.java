package io.github.lockstarter;

/** The calling thread was interrupted during the wait. Its interrupt flag is set again; no lock is left behind. */
public final class LockInterruptedException extends LockException {

    /**
     * Creates the exception.
     *
     * @param key key
     * @param message message
     * @param cause interrupt
     */
    public LockInterruptedException(String key, String message, InterruptedException cause) {
        super(key, message, cause);
    }
}
