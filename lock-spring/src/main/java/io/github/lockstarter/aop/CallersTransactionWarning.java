package io.github.lockstarter.aop;

import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockRequest;
import java.lang.reflect.Method;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.AnnotationTransactionAttributeSource;
import org.springframework.transaction.interceptor.TransactionAttribute;
import org.springframework.transaction.interceptor.TransactionAttributeSource;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.ClassUtils;

/**
 * Warns of a locked method that is called inside a transaction of its caller, since the lock is released before that
 * transaction commits. Once for each method. A method with a transaction of its own, or without one, writes nothing
 * into the caller's; a lock that the enclosing locked method has too is released by that one.
 *
 * <p>The one mutable field is the set of methods that were warned of, written by the threads that call them.
 */
final class CallersTransactionWarning {

    private static final Logger log = LoggerFactory.getLogger(CallersTransactionWarning.class);

    /** An application without spring-tx has no transactions. */
    private static final boolean THERE_MAY_BE_TRANSACTIONS = ClassUtils.isPresent(
            "org.springframework.transaction.support.TransactionSynchronizationManager",
            CallersTransactionWarning.class.getClassLoader());

    private final Set<Method> warned = ConcurrentHashMap.newKeySet();

    /** Called before the lock is acquired. */
    void warn(Method method, LockRequest request) {
        if (!THERE_MAY_BE_TRANSACTIONS || !Transactions.areOpen() || warned.contains(method)) {
            return;
        }
        if (isHeldByTheCaller(request) || Transactions.areOfItsOwn(method) || !warned.add(method)) {
            return;
        }
        log.warn(
                "{} is called inside a transaction of its caller: lock '{}' is released before that transaction commits, and the "
                        + "next owner may not see what it wrote. Give the method @Transactional(propagation = "
                        + "Propagation.REQUIRES_NEW), or lock the method that opens the transaction",
                InvalidLockDeclarationException.describe(method),
                String.join(", ", request.keys()));
    }

    private static boolean isHeldByTheCaller(LockRequest request) {
        return LockHandle.current()
                .filter(enclosing -> enclosing.keys().containsAll(request.keys()))
                .isPresent();
    }

    /** Apart, since it is linked only where spring-tx is there. */
    private static final class Transactions {

        private static final TransactionAttributeSource ANNOTATIONS = new AnnotationTransactionAttributeSource(false);

        private Transactions() {}

        static boolean areOpen() {
            return TransactionSynchronizationManager.isActualTransactionActive();
        }

        static boolean areOfItsOwn(Method method) {
            TransactionAttribute attribute = ANNOTATIONS.getTransactionAttribute(method, method.getDeclaringClass());
            return attribute != null
                    && switch (attribute.getPropagationBehavior()) {
                        case TransactionDefinition.PROPAGATION_REQUIRES_NEW,
                                TransactionDefinition.PROPAGATION_NOT_SUPPORTED,
                                TransactionDefinition.PROPAGATION_NEVER -> true;
                        default -> false;
                    };
        }
    }
}
