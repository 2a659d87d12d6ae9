package io.github.lockstarter.autoconfigure;

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

    @Override
    protected @Nullable FailureAnalysis analyze(Throwable rootFailure, ConfigurationPropertiesBindException cause) {
        IllegalArgumentException refusal = findCause(cause, IllegalArgumentException.class);
        String message = refusal == null ? null : refusal.getMessage();
        if (message == null || !message.startsWith(DistributedLockProperties.PREFIX + '.')) {
            return null;
        }
        String property = message.substring(0, message.indexOf(' '));
        return new FailureAnalysis(
                message + '.',
                "Correct " + property + ", or leave it out for its default. A duration without a unit is in "
                        + "milliseconds.",
                cause);
    }
}
