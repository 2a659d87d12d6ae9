package io.github.lockstarter.aop;

import io.github.lockstarter.InTransaction;
import java.util.Comparator;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;

/**
 * Fails the start of an application with a locked method that is to refuse the transactions of its callers, or to keep
 * its lock until they have completed, and with a transaction manager that shows its transactions to no one: such a
 * transaction would be overlooked. Looks at the beans that exist at the end of the start.
 */
public final class UnseenTransactionCheck implements SmartInitializingSingleton {

    private final ConfigurableListableBeanFactory beans;
    private final LockedMethods methods;

    /**
     * Creates the check.
     *
     * @param beans where the transaction managers are
     * @param methods which methods are locked
     */
    public UnseenTransactionCheck(ConfigurableListableBeanFactory beans, LockedMethods methods) {
        this.beans = beans;
        this.methods = methods;
    }

    @Override
    public void afterSingletonsInstantiated() {
        methods.known()
                .filter(method -> method.inTransaction() != InTransaction.WARN)
                .min(Comparator.comparing(method -> InvalidLockDeclarationException.describe(method.method())))
                .ifPresent(this::checkTransactionsAreSeen);
    }

    private void checkTransactionsAreSeen(LockedMethod method) {
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
}
