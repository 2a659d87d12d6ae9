package io.github.lockstarter;

import org.jspecify.annotations.Nullable;

/**
 * Root of the lock exceptions. Unchecked. The message is one line: control characters of the key are escaped in it, but
 * not in {@link #key()}.
 */
public abstract class LockException extends RuntimeException {

    /** The key. */
    private final String key;

    LockException(String key, String message, @Nullable Throwable cause) {
        super(LockRequest.printable(message), cause);
        this.key = key;
    }

    /** {@return the lock's key; several keys are joined by {@code ", "}} */
    public String key() {
        return key;
    }
}
