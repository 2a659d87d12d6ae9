package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.DurationText;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationPropertiesBindException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.annotation.Order;

/**
 * A property of any store with a value that its record refuses, in a message that begins with the name of the property.
 * Comes before Spring Boot's own analyzer, which names the record.
 */
@Order(0)
final class InvalidLockPropertyFailureAnalyzer extends AbstractFailureAnalyzer<ConfigurationPropertiesBindException> {

    /** A property and its value, as {@link DurationText} writes one. */
    private static final Pattern DURATION = Pattern.compile("\\S+ is -?[0-9.]+(ms|s|d)\\b");

    private static final String UNIT = "A duration without a unit is in milliseconds.";

    @Override
    protected @Nullable FailureAnalysis analyze(Throwable rootFailure, ConfigurationPropertiesBindException cause) {
        IllegalArgumentException refusal = findCause(cause, IllegalArgumentException.class);
        String message = refusal == null ? null : refusal.getMessage();
        if (message == null || !message.startsWith(DistributedLockProperties.PREFIX + '.')) {
            return null;
        }
        int end = message.lastIndexOf(". ");
        String problem = end < 0 ? message : message.substring(0, end);
        return new FailureAnalysis(problem + '.', action(message, end), cause);
    }

    /** The last sentence of the message, where it has several, says what to change. */
    private static String action(String message, int endOfProblem) {
        String property = message.substring(0, message.indexOf(' '));
        String cure = endOfProblem < 0
                ? "Correct " + property + ", or leave it out for its default"
                : message.substring(endOfProblem + 2);
        return cure + (DURATION.matcher(message).lookingAt() ? ". " + UNIT : ".");
    }
}
