package io.github.lockstarter.demo;

/** The request is not possible in the present state; the message names the remedy. */
public final class ConflictException extends RuntimeException {

    public ConflictException(String message) {
        super(message);
    }

    public ConflictException(String message, Throwable cause) {
        super(message, cause);
    }
}
