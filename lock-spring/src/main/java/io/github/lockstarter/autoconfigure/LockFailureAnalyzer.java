package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.aop.LockStartException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanCreationException;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.core.annotation.Order;

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
                Optional<FailureAnalysis> unknown = UnknownProperties.analyze(unbound);
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
}
