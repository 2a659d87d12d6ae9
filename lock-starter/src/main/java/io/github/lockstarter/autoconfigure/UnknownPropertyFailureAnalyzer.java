package io.github.lockstarter.autoconfigure;

import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/** A property below {@code distributed-lock} that does not exist. Boot's own analyzer does not know about brackets. */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class UnknownPropertyFailureAnalyzer extends AbstractFailureAnalyzer<UnboundConfigurationPropertiesException> {

    private static final ConfigurationPropertyName PREFIX =
            ConfigurationPropertyName.of(DistributedLockProperties.PREFIX);

    @Override
    protected @Nullable FailureAnalysis analyze(Throwable rootFailure, UnboundConfigurationPropertiesException cause) {
        List<ConfigurationProperty> unknown = cause.getUnboundProperties().stream()
                .filter(property -> PREFIX.isAncestorOf(property.getName()))
                .toList();
        if (unknown.isEmpty()) {
            return null;
        }
        String names = unknown.stream()
                .map(property -> property.getName() + " (" + property.getOrigin() + ")")
                .collect(Collectors.joining(", "));
        return new FailureAnalysis(
                "The configuration has properties that distributed-lock does not know: " + names,
                "Correct or remove them. A lock name with a dot stands in brackets: "
                        + "distributed-lock.locks.[OrderService.ship].lease",
                cause);
    }
}
