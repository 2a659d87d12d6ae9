package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.DurationText;
import java.util.regex.Pattern;

/** Properties that are wrong, found when all of them are known. */
final class InvalidLockConfigurationException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** A property and its value, as {@link DurationText} writes one. */
    private static final Pattern DURATION = Pattern.compile("\\S+ is -?[0-9.]+(ms|s|d)\\b");

    private final String action;

    /** With a message that says what is wrong, and what to do about it. */
    InvalidLockConfigurationException(String message, String action) {
        super(message);
        this.action = action;
    }

    /**
     * With the message of a broken rule, which begins with a property. Its last sentence, where it has several, says
     * what to change.
     */
    static InvalidLockConfigurationException of(IllegalArgumentException broken) {
        String message = String.valueOf(broken.getMessage());
        int end = message.lastIndexOf(". ");
        String cure = end < 0
                ? "Correct " + message.split(" ", 2)[0] + ", or leave it out for its default"
                : message.substring(end + 2);
        String unit = DURATION.matcher(message).lookingAt() ? " A duration without a unit is in milliseconds." : "";
        InvalidLockConfigurationException invalid = new InvalidLockConfigurationException(
                (end < 0 ? message : message.substring(0, end)) + ".", cure + "." + unit);
        invalid.initCause(broken);
        return invalid;
    }

    String action() {
        return action;
    }
}
