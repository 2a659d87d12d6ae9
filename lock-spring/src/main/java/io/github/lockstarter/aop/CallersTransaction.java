package io.github.lockstarter.aop;

import io.github.lockstarter.InTransaction;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.transaction.TransactionLocks;
import java.lang.reflect.Method;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.AnnotationTransactionAttributeSource;
import org.springframework.transaction.interceptor.TransactionAspectSupport;
import org.springframework.transaction.interceptor.TransactionAttribute;
import org.springframework.transaction.interceptor.TransactionAttributeSource;
import org.springframework.transaction.support.ResourceHolderSupport;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.ClassUtils;

/**
 * Applies {@link InTransaction} to a locked method inside its caller's transaction. Ignores methods with their own
 * transaction or none, locks of an enclosing locked method, and leader locks. Thread-safe.
 */
final class CallersTransaction {

    private static final Logger log = LoggerFactory.getLogger(CallersTransaction.class);

    private static final boolean HAS_SPRING_TX = ClassUtils.isPresent(
            "org.springframework.transaction.support.TransactionSynchronizationManager",
            CallersTransaction.class.getClassLoader());

    private final Set<Method> warned = ConcurrentHashMap.newKeySet();

    /**
     * Called before the lock is acquired.
     *
     * @throws IllegalStateException if the method rejects this transaction
     */
    boolean shouldKeepLock(LockedCall call) {
        InTransaction behaviour = call.method().inTransaction();
        if (!HAS_SPRING_TX
                || call.method().isLeaderOnly()
                || !isInside(behaviour)
                || OwnTransaction.isOf(call.method().method())
                || TransactionLocks.contain(call.locks(), call.request())) {
            return false;
        }
        boolean isActive = TransactionSynchronizationManager.isActualTransactionActive();
        if (isActive && behaviour == InTransaction.RELEASE_AFTER) {
            checkSynchronized(call);
            return true;
        }
        if (!isHeldByTheCaller(call)) {
            report(call, isActive);
        }
        return false;
    }

    /**
     * A transaction without synchronization shows only in the resources bound to the thread; {@code WARN} ignores it.
     */
    private static boolean isInside(InTransaction behaviour) {
        return TransactionSynchronizationManager.isActualTransactionActive()
                || (behaviour != InTransaction.WARN
                        && !TransactionSynchronizationManager.isSynchronizationActive()
                        && TransactionSynchronizationManager.getResourceMap().values().stream()
                                .anyMatch(bound -> bound instanceof ResourceHolderSupport holder
                                        && holder.isSynchronizedWithTransaction()));
    }

    static boolean isTransactional(Object advice) {
        return HAS_SPRING_TX && advice instanceof TransactionAspectSupport;
    }

    /** Never rejects a transaction without synchronization: it often encloses a database transaction. */
    private void report(LockedCall call, boolean isActive) {
        InTransaction behaviour = call.method().inTransaction();
        if (isActive && behaviour == InTransaction.REFUSE) {
            throw new IllegalStateException(calledInside(call)
                    + " would be released before that transaction commits. The method did not run (inTransaction = "
                    + "REFUSE). Call it outside of the transaction, or give it @Transactional(propagation = "
                    + "Propagation.REQUIRES_NEW)");
        }
        if (warned.add(call.method().method())) {
            log.warn(
                    "{} is released before that transaction commits, and the next owner may not see its writes. {}"
                            + "@Transactional(propagation = Propagation.REQUIRES_NEW), or lock the method that opens "
                            + "the transaction",
                    calledInside(call),
                    isActive
                            ? "Give the method inTransaction = RELEASE_AFTER or "
                            : "inTransaction = " + behaviour + " has no effect on a transaction without "
                                    + "synchronization (the default of Kafka, RabbitMQ and JMS). Give the "
                                    + "method ");
        }
    }

    private static void checkSynchronized(LockedCall call) {
        if (!TransactionSynchronizationManager.isSynchronizationActive()) {
            throw new IllegalStateException(calledInside(call)
                    + " cannot be kept until its end (inTransaction = RELEASE_AFTER): the transaction has ended "
                    + "already, as in a listener after the commit, or has no synchronization. The method did not run. "
                    + "Give it @Transactional(propagation = Propagation.REQUIRES_NEW), or lock the method that opens "
                    + "the transaction");
        }
    }

    private static String calledInside(LockedCall call) {
        return call.description() + " is called inside a transaction of its caller: " + call.lock();
    }

    /** Compares the sources: the same key in another store is another lock. */
    private static boolean isHeldByTheCaller(LockedCall call) {
        return LockHandle.allCurrent().stream()
                .filter(enclosing -> enclosing.heldBySource() == call.locks().heldLocks())
                .flatMap(enclosing -> enclosing.keys().stream())
                .collect(Collectors.toSet())
                .containsAll(call.request().keys());
    }

    /** Separate, because it links only with spring-tx on the class path. */
    private static final class OwnTransaction {

        private static final TransactionAttributeSource ANNOTATIONS = new AnnotationTransactionAttributeSource(false);

        private OwnTransaction() {}

        static boolean isOf(Method method) {
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
