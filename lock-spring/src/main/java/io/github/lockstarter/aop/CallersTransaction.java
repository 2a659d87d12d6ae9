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
 * Decides about a locked method that is called inside a transaction of its caller, which commits after the method has
 * returned: warns once for each method, refuses the call, or has the lock kept until the transaction has completed. A
 * method with a transaction of its own, or without one, writes nothing into the caller's; a lock that an enclosing
 * locked method has too is released by that one; and that of a leader is not released behind the method.
 *
 * <p>The one mutable field is the set of methods that were warned of, written by the threads that call them.
 */
final class CallersTransaction {

    private static final Logger log = LoggerFactory.getLogger(CallersTransaction.class);

    /** An application without spring-tx has no transactions. */
    private static final boolean THERE_MAY_BE_TRANSACTIONS = ClassUtils.isPresent(
            "org.springframework.transaction.support.TransactionSynchronizationManager",
            CallersTransaction.class.getClassLoader());

    private final Set<Method> warned = ConcurrentHashMap.newKeySet();

    /**
     * Called before the lock is acquired.
     *
     * @return whether the transaction is to keep the lock until it has completed
     * @throws IllegalStateException when the method must not be called inside this transaction
     */
    boolean outlives(LockedCall call) {
        InTransaction behaviour = call.method().inTransaction();
        if (!THERE_MAY_BE_TRANSACTIONS
                || call.method().isLeaders()
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
     * A transaction without synchronization, as those of Kafka, RabbitMQ and JMS are by default, is seen from what its
     * manager has bound to the thread. A method that asks for nothing is not warned of it.
     */
    private static boolean isInside(InTransaction behaviour) {
        return TransactionSynchronizationManager.isActualTransactionActive()
                || (behaviour != InTransaction.WARN
                        && !TransactionSynchronizationManager.isSynchronizationActive()
                        && TransactionSynchronizationManager.getResourceMap().values().stream()
                                .anyMatch(bound -> bound instanceof ResourceHolderSupport holder
                                        && holder.isSynchronizedWithTransaction()));
    }

    /** Whether it is an advice that opens transactions. */
    static boolean isTransactional(Object advice) {
        return THERE_MAY_BE_TRANSACTIONS && advice instanceof TransactionAspectSupport;
    }

    /** A transaction without synchronization often surrounds that of a database: the call goes on. */
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
                    "{} is released before that transaction commits, and the next owner may not see what it wrote. {}"
                            + "@Transactional(propagation = Propagation.REQUIRES_NEW), or lock the method that opens "
                            + "the transaction",
                    calledInside(call),
                    isActive
                            ? "Give the method inTransaction = RELEASE_AFTER or "
                            : "inTransaction = " + behaviour + " has no effect on a transaction without "
                                    + "synchronization, as those of Kafka, RabbitMQ and JMS are by default. Give the "
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

    /** A lock with the same key that another source granted, such as that of another store, is another lock. */
    private static boolean isHeldByTheCaller(LockedCall call) {
        return LockHandle.allCurrent().stream()
                .filter(enclosing -> enclosing.heldBySource() == call.locks().heldLocks())
                .flatMap(enclosing -> enclosing.keys().stream())
                .collect(Collectors.toSet())
                .containsAll(call.request().keys());
    }

    /** Apart, since it is linked only where spring-tx is there. */
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
