package io.github.lockstarter.aop;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Optional;
import org.springframework.format.datetime.standard.DurationFormatterUtils;
import org.springframework.util.StringValueResolver;

record Placeholders(Method method, StringValueResolver properties) {

    static final String PREFIX = "${";

    String resolve(String attribute, String given) {
        if (!given.contains(PREFIX)) {
            return given;
        }
        try {
            String resolved = properties.resolveStringValue(given);
            if (resolved != null && !resolved.contains(PREFIX)) {
                return resolved;
            }
            throw new IllegalArgumentException("no property source has a value for '" + resolved + "'");
        } catch (IllegalArgumentException e) {
            throw new LockStartException(
                    method,
                    attribute + " = \"" + given + "\" cannot be resolved: " + e.getMessage() + ".",
                    "Set the property, or give a default behind a colon, such as ${job.lease:30s}.");
        }
    }

    /** Reads a text; empty if it is blank. */
    Optional<Duration> duration(String attribute, String text) {
        String value = resolve(attribute, text).strip();
        return value.isEmpty() ? Optional.empty() : Optional.of(parsed(attribute, text, value));
    }

    private Duration parsed(String attribute, String given, String value) {
        try {
            return DurationFormatterUtils.detectAndParse(value);
        } catch (IllegalArgumentException | ArithmeticException e) {
            throw new LockStartException(
                    method,
                    attribute + " = \"" + given + "\" is no duration" + (value.equals(given) ? "" : ": '" + value + "'")
                            + ".",
                    "Write a number with a unit, such as 800ms, 30s, 5m or 1h, or as in ISO-8601, such as PT30S; a "
                            + "number alone stands for milliseconds.");
        }
    }
}
