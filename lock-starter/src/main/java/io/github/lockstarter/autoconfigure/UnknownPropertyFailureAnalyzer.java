package io.github.lockstarter.autoconfigure;

import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/**
 * A property below {@code distributed-lock} that does not exist, or one below {@code spring.distributed-lock}. Boot's
 * own analyzer does not know about brackets, nor what is meant.
 */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class UnknownPropertyFailureAnalyzer extends AbstractFailureAnalyzer<UnboundConfigurationPropertiesException> {

    private static final List<ConfigurationPropertyName> PREFIXES = List.of(
            ConfigurationPropertyName.of(DistributedLockProperties.PREFIX),
            ConfigurationPropertyName.of("spring." + DistributedLockProperties.PREFIX));

    @Override
    protected @Nullable FailureAnalysis analyze(Throwable rootFailure, UnboundConfigurationPropertiesException cause) {
        List<ConfigurationProperty> unknown = cause.getUnboundProperties().stream()
                .filter(property -> belowPrefix(property).isPresent())
                .toList();
        if (unknown.isEmpty()) {
            return null;
        }
        String names = unknown.stream()
                .map(property -> property.getName() + " (" + property.getOrigin() + ")" + hint(property))
                .collect(Collectors.joining(", "));
        return new FailureAnalysis(
                "The configuration has properties that distributed-lock does not know: " + names,
                "Correct or remove them. A lock name with a dot stands in brackets: "
                        + "distributed-lock.locks.[OrderService.ship].lease",
                cause);
    }

    private static Optional<String> belowPrefix(ConfigurationProperty property) {
        return PREFIXES.stream()
                .filter(prefix -> prefix.isAncestorOf(property.getName()))
                .map(prefix ->
                        property.getName().subName(prefix.getNumberOfElements()).toString())
                .findFirst();
    }

    private static String hint(ConfigurationProperty property) {
        return belowPrefix(property)
                .flatMap(PropertyNames::nearest)
                .map(meant -> ": did you mean " + DistributedLockProperties.PREFIX + '.' + meant + "?")
                .orElse("");
    }
}
