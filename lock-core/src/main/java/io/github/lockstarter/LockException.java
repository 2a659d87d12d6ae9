package io.github.lockstarter;

import org.jspecify.annotations.Nullable;

/**
 * Root of what a lock operation throws. Unchecked; carries the key. The message is one line: control characters of a
 * key are escaped in it, and not in {@link #key()}.
 */
public abstract class LockException extends RuntimeException {

    /** The lock's key. */
    private final String key;

    LockException(String key, String message, @Nullable Throwable cause) {
        super(LockRequest.printable(message), cause);
        this.key = key;
    }

    /**
     * The lock's key.
     *
     * @return the key; several keys are joined by {@code ", "}
     */
    public String key() {
        return key;
    }
}
