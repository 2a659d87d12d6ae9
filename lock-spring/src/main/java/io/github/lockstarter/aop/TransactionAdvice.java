package io.github.lockstarter.aop;

import java.lang.reflect.Method;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.interceptor.TransactionAspectSupport;
import org.springframework.transaction.interceptor.TransactionAttribute;
import org.springframework.transaction.interceptor.TransactionAttributeSource;
import org.springframework.util.ClassUtils;

/** Recognises advices that begin transactions, if spring-tx is on the class path. */
final class TransactionAdvice {

    private static final boolean HAS_SPRING_TX = ClassUtils.isPresent(
            "org.springframework.transaction.support.TransactionSynchronizationManager",
            TransactionAdvice.class.getClassLoader());

    private TransactionAdvice() {}

    static boolean isTransactional(Object advice) {
        return HAS_SPRING_TX && advice instanceof TransactionAspectSupport;
    }

    /** Whether the call never takes part in its caller's transaction. */
    static boolean suspendsTransaction(Object advice, Method method, Class<?> type) {
        TransactionAttributeSource attributes =
                advice instanceof TransactionAspectSupport aspect ? aspect.getTransactionAttributeSource() : null;
        TransactionAttribute attribute = attributes == null ? null : attributes.getTransactionAttribute(method, type);
        return attribute != null
                && switch (attribute.getPropagationBehavior()) {
                    case TransactionDefinition.PROPAGATION_REQUIRES_NEW,
                            TransactionDefinition.PROPAGATION_NOT_SUPPORTED,
                            TransactionDefinition.PROPAGATION_NEVER -> true;
                    default -> false;
                };
    }
}
