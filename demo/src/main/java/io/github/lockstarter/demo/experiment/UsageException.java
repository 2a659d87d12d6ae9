package io.github.lockstarter.demo.experiment;

/** The command line is wrong; the message says what to change. */
final class UsageException extends RuntimeException {

    UsageException(String message) {
        super(message);
    }
}
