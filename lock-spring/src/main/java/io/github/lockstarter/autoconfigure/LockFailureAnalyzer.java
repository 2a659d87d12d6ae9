package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.aop.InvalidLockDeclarationException;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanCreationException;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.core.annotation.Order;

/**
 * Says what to change: about an annotation that cannot take effect, with its bean and method, and about a property of
 * any store that is wrong. Comes before Spring Boot's own analyzers, which name the record of a property.
 */
@Order(0)
final class LockFailureAnalyzer implements FailureAnalyzer {

    @Override
    public @Nullable FailureAnalysis analyze(Throwable failure) {
        String bean = "";
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof BeanCreationException creation && creation.getBeanName() != null) {
                bean = "Bean '" + creation.getBeanName() + "': ";
            } else if (cause instanceof InvalidLockDeclarationException invalid) {
                return new FailureAnalysis(bean + invalid.getMessage(), invalid.action(), invalid);
            } else if (cause instanceof InvalidLockConfigurationException invalid) {
                return analysis(invalid);
            } else if (cause instanceof IllegalArgumentException refusal
                    && String.valueOf(refusal.getMessage()).startsWith(DistributedLockProperties.PREFIX + '.')) {
                return analysis(InvalidLockConfigurationException.of(refusal));
            }
        }
        return null;
    }

    private static FailureAnalysis analysis(InvalidLockConfigurationException invalid) {
        return new FailureAnalysis(invalid.getMessage(), invalid.action(), invalid);
    }
}
