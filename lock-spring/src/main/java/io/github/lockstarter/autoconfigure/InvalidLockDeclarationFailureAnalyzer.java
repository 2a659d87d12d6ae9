package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.aop.InvalidLockDeclarationException;
import org.springframework.beans.factory.BeanCreationException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** An annotation that cannot take effect: names the bean, the method, and what to change. */
final class InvalidLockDeclarationFailureAnalyzer extends AbstractFailureAnalyzer<InvalidLockDeclarationException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, InvalidLockDeclarationException cause) {
        BeanCreationException creation = findCause(rootFailure, BeanCreationException.class);
        String bean = "";
        while (creation != null) {
            bean = creation.getBeanName() == null ? bean : "Bean '" + creation.getBeanName() + "': ";
            creation = creation.getCause() == null ? null : findCause(creation.getCause(), BeanCreationException.class);
        }
        return new FailureAnalysis(bean + cause.getMessage(), cause.action(), cause);
    }
}
