package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.aop.LockStartException;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanCreationException;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.bind.Name;
import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.Order;
import org.springframework.util.ReflectionUtils;

/**
 * Describes invalid annotations and properties, and unusable stores. Precedes Boot's analyzers, which would name the
 * record instead of the property.
 */
@Order(0)
final class LockFailureAnalyzer implements FailureAnalyzer {

    @Override
    public @Nullable FailureAnalysis analyze(Throwable failure) {
        String bean = "";
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof BeanCreationException creation && creation.getBeanName() != null) {
                bean = "Bean '" + creation.getBeanName() + "': ";
            } else if (cause instanceof BindException unbound) {
                Optional<FailureAnalysis> unknown = unknownProperties(unbound);
                if (unknown.isPresent()) {
                    return unknown.get();
                }
            } else if (cause instanceof LockStartException invalid) {
                return analysis(bean, invalid);
            } else if (cause instanceof IllegalArgumentException refusal
                    && String.valueOf(refusal.getMessage()).startsWith(DistributedLockProperties.PREFIX + '.')) {
                return analysis("", LockStartException.of(refusal));
            }
        }
        return null;
    }

    /** Names the bean of an annotation; our own beans read properties. */
    private static FailureAnalysis analysis(String bean, LockStartException invalid) {
        String message = String.valueOf(invalid.getMessage());
        return new FailureAnalysis((message.startsWith("@") ? bean : "") + message, invalid.action(), invalid);
    }

    /** Empty for a type that is not ours. Omits the values, which may be secrets, and names the existing properties. */
    private static Optional<FailureAnalysis> unknownProperties(BindException failure) {
        ResolvableType type = failure.getTarget().getType();
        return type.toClass().getName().startsWith("io.github.lockstarter.")
                        && failure.getCause() instanceof UnboundConfigurationPropertiesException unbound
                ? Optional.of(new FailureAnalysis(
                        unbound.getUnboundProperties().stream()
                                .map(unknown -> unknown.getName() + " does not exist; it is set by " + origin(unknown))
                                .collect(Collectors.joining("\n")),
                        unbound.getUnboundProperties().stream()
                                .map(unknown -> known(type, failure.getName(), unknown.getName()))
                                .distinct()
                                .collect(Collectors.joining("\n")),
                        failure))
                : Optional.empty();
    }

    private static String origin(ConfigurationProperty unknown) {
        return unknown.getOrigin() == null
                ? "an unknown source"
                : unknown.getOrigin().toString();
    }

    private static String known(ResolvableType root, ConfigurationPropertyName prefix, ConfigurationPropertyName name) {
        ResolvableType level = root;
        int depth = prefix.getNumberOfElements();
        for (int next = depth; next < name.getNumberOfElements(); ) {
            Optional<ResolvableType> inner = groupOf(level, name.getElement(next, Form.UNIFORM));
            if (inner.isEmpty()) {
                break;
            }
            boolean map = inner.get().getGeneric(1).toClass().isRecord();
            level = map ? inner.get().getGeneric(1) : inner.get();
            next += map ? 2 : 1; // with the key
            depth = Math.min(next, name.getNumberOfElements());
        }
        return "Below " + name.chop(depth) + " there are: "
                + Arrays.stream(level.toClass().getRecordComponents())
                        .map(LockFailureAnalyzer::nameOf)
                        .sorted()
                        .collect(Collectors.joining(", "));
    }

    /** A record, or a map to records, that the element names. */
    private static Optional<ResolvableType> groupOf(ResolvableType level, String element) {
        return Arrays.stream(level.toClass().getRecordComponents())
                .filter(component -> nameOf(component).replace("-", "").equals(element))
                .map(component -> ResolvableType.forType(component.getGenericType()))
                .filter(type -> type.toClass().isRecord()
                        || type.getGeneric(1).toClass().isRecord())
                .findFirst();
    }

    private static String nameOf(RecordComponent component) {
        return Optional.ofNullable(ReflectionUtils.findField(component.getDeclaringRecord(), component.getName()))
                .map(field -> field.getAnnotation(Name.class))
                .map(Name::value)
                .orElseGet(() -> DataObjectPropertyName.toDashedForm(component.getName()));
    }
}
