package io.github.lockstarter.autoconfigure;

/** Properties that are wrong, found when all of them are known. */
final class InvalidLockConfigurationException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final String action;

    /** With a message that says what is wrong, and what to do about it. */
    InvalidLockConfigurationException(String message, String action) {
        super(message);
        this.action = action;
    }

    /** With the message of a rule that is broken. */
    InvalidLockConfigurationException(IllegalArgumentException broken) {
        super(broken.getMessage(), broken);
        this.action = "Update your application's configuration";
    }

    String action() {
        return action;
    }
}
