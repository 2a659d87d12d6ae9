package io.github.lockstarter.aop;

import io.github.lockstarter.InTransaction;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockSource;
import io.github.lockstarter.transaction.TransactionLocks;
import java.lang.reflect.Method;
import java.util.Comparator;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.AnnotationTransactionAttributeSource;
import org.springframework.transaction.interceptor.TransactionAspectSupport;
import org.springframework.transaction.interceptor.TransactionAttribute;
import org.springframework.transaction.interceptor.TransactionAttributeSource;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
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
     * @param locks grants the lock
     * @return whether the lock outlives the call: then {@link #keep} follows
     * @throws IllegalStateException when the method must not be called inside this transaction
     */
    boolean outlives(LockedMethod method, LockSource locks, LockRequest request) {
        if (!THERE_MAY_BE_TRANSACTIONS || method.isLeaders() || !Transactions.areOpen()) {
            return false;
        }
        InTransaction behaviour = method.inTransaction();
        if ((behaviour == InTransaction.WARN && warned.contains(method.method()))
                || Transactions.areOfItsOwn(method.method())
                || TransactionLocks.contain(locks, request)) {
            return false;
        }
        if (behaviour == InTransaction.RELEASE_AFTER) {
            checkSynchronized(method, request);
            return true;
        }
        if (!isHeldByTheCaller(locks, request)) {
            report(method, request);
        }
        return false;
    }

    /**
     * {@link #outlives} for a method that no transaction keeps a lock for.
     *
     * @throws IllegalStateException when the method must not be called inside this transaction
     */
    void check(LockedMethod method, LockSource locks, LockRequest request) {
        if (outlives(method, locks, request)) {
            throw new IllegalStateException(calledInside(method, request) + " cannot be kept until its end");
        }
    }

    /** Keeps a lock until the transaction has completed. */
    void keep(LockHandle handle) {
        TransactionLocks.releaseAfterCompletion(handle);
    }

    /** Whether it is an advice that opens transactions. */
    static boolean isTransactional(Object advice) {
        return THERE_MAY_BE_TRANSACTIONS && Transactions.areOpenedBy(advice);
    }

    /**
     * Looks at the transaction managers that exist at the end of the start.
     *
     * @throws InvalidLockDeclarationException when a method is to refuse the transactions of its callers, or to keep
     *     its lock until they have completed, and a transaction manager shows its transactions to no one
     */
    static void checkAllAreSeen(ConfigurableListableBeanFactory beans, Stream<LockedMethod> methods) {
        if (THERE_MAY_BE_TRANSACTIONS) {
            methods.filter(method -> method.inTransaction() != InTransaction.WARN)
                    .min(Comparator.comparing(method -> InvalidLockDeclarationException.describe(method.method())))
                    .ifPresent(method -> Transactions.checkAllAreSeenBy(method, beans));
        }
    }

    private void report(LockedMethod method, LockRequest request) {
        if (method.inTransaction() == InTransaction.REFUSE) {
            throw new IllegalStateException(calledInside(method, request)
                    + " would be released before that transaction commits. The method did not run (inTransaction = "
                    + "REFUSE). Call it outside of the transaction, or give it @Transactional(propagation = "
                    + "Propagation.REQUIRES_NEW)");
        }
        if (warned.add(method.method())) {
            log.warn(
                    "{} is released before that transaction commits, and the next owner may not see what it wrote. Give the "
                            + "method inTransaction = RELEASE_AFTER or @Transactional(propagation = "
                            + "Propagation.REQUIRES_NEW), or lock the method that opens the transaction",
                    calledInside(method, request));
        }
    }

    private static void checkSynchronized(LockedMethod method, LockRequest request) {
        if (!Transactions.areSynchronized()) {
            throw new IllegalStateException(calledInside(method, request)
                    + " cannot be kept until its end (inTransaction = RELEASE_AFTER): the transaction has ended already, as in "
                    + "a listener after the commit, or has no synchronization. The method did not run. Give it "
                    + "@Transactional(propagation = Propagation.REQUIRES_NEW), or lock the method that opens the "
                    + "transaction");
        }
    }

    private static String calledInside(LockedMethod method, LockRequest request) {
        return InvalidLockDeclarationException.describe(method.method())
                + " is called inside a transaction of its caller: lock '"
                + LockRequest.printable(String.join(", ", request.keys())) + "'";
    }

    /** A lock with the same key that another source granted, such as that of another store, is another lock. */
    private static boolean isHeldByTheCaller(LockSource locks, LockRequest request) {
        return LockHandle.allCurrent().stream()
                .filter(enclosing -> enclosing.heldBySource() == locks.heldLocks())
                .flatMap(enclosing -> enclosing.keys().stream())
                .collect(Collectors.toSet())
                .containsAll(request.keys());
    }

    /** Apart, since it is linked only where spring-tx is there. */
    private static final class Transactions {

        private static final TransactionAttributeSource ANNOTATIONS = new AnnotationTransactionAttributeSource(false);

        private Transactions() {}

        static boolean areOpen() {
            return TransactionSynchronizationManager.isActualTransactionActive();
        }

        static boolean areSynchronized() {
            return TransactionSynchronizationManager.isSynchronizationActive();
        }

        static boolean areOpenedBy(Object advice) {
            return advice instanceof TransactionAspectSupport;
        }

        static void checkAllAreSeenBy(LockedMethod method, ConfigurableListableBeanFactory beans) {
            for (String name : beans.getBeanNamesForType(AbstractPlatformTransactionManager.class, true, false)) {
                if (beans.getSingleton(name) instanceof AbstractPlatformTransactionManager transactions
                        && transactions.getTransactionSynchronization()
                                == AbstractPlatformTransactionManager.SYNCHRONIZATION_NEVER) {
                    throw new InvalidLockDeclarationException(
                            method.method(),
                            "inTransaction = " + method.inTransaction() + " for lock '"
                                    + method.request().name() + "', but a call does not see the transactions of bean '"
                                    + name + "', which has no synchronization (SYNCHRONIZATION_NEVER).",
                            "Set the transactionSynchronization of '" + name
                                    + "' to SYNCHRONIZATION_ALWAYS, its default, or inTransaction to WARN.");
                }
            }
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
