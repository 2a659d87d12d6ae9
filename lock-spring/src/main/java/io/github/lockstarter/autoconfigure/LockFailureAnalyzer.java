package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.aop.LockStartException;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanCreationException;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.core.annotation.Order;

/**
 * Says what to change: about an annotation that cannot take effect, with its bean and method, about a property of any
 * store that is wrong, and about a store that cannot keep locks. Comes before Spring Boot's own analyzers, which name
 * the record of a property.
 */
@Order(0)
final class LockFailureAnalyzer implements FailureAnalyzer {

    @Override
    public @Nullable FailureAnalysis analyze(Throwable failure) {
        String bean = "";
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof BeanCreationException creation && creation.getBeanName() != null) {
                bean = "Bean '" + creation.getBeanName() + "': ";
            } else if (cause instanceof LockStartException invalid) {
                return analysis(bean, invalid);
            } else if (cause instanceof IllegalArgumentException refusal
                    && String.valueOf(refusal.getMessage()).startsWith(DistributedLockProperties.PREFIX + '.')) {
                return analysis("", LockStartException.of(refusal));
            }
        }
        return null;
    }

    /** The bean is that of an annotation; a property is read by a bean of ours. */
    private static FailureAnalysis analysis(String bean, LockStartException invalid) {
        String message = String.valueOf(invalid.getMessage());
        return new FailureAnalysis((message.startsWith("@") ? bean : "") + message, invalid.action(), invalid);
    }
}
