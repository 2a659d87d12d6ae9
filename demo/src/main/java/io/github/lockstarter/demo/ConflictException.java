package io.github.lockstarter.demo;

/** That cannot be done in the present state; the message says what to do first. */
public final class ConflictException extends RuntimeException {

    /** With that message. */
    public ConflictException(String message) {
        super(message);
    }

    /** With that message and cause. */
    public ConflictException(String message, Throwable cause) {
        super(message, cause);
    }
}
