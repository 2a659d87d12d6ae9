package io.github.lockstarter.transaction;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronization;

/**
 * Transactions as in JTA: a container starts, suspends and completes them on its own thread. Spring's transactions join
 * the current one.
 */
final class ContainerTransactions extends AbstractPlatformTransactionManager {

    /** A transaction of the container, and its synchronizations. */
    static final class ContainerTransaction {
        private final List<TransactionSynchronization> synchronizations = new ArrayList<>();
    }

    private ContainerTransaction current = new ContainerTransaction();

    /** Suspends the current one. */
    ContainerTransaction begin() {
        current = new ContainerTransaction();
        return current;
    }

    void completeElsewhere(ContainerTransaction transaction, int status) {
        CompletableFuture.runAsync(() -> invokeAfterCompletion(transaction.synchronizations, status))
                .join();
    }

    @Override
    protected Object doGetTransaction() {
        return current;
    }

    @Override
    protected boolean isExistingTransaction(Object transaction) {
        return true;
    }

    @Override
    protected void registerAfterCompletionWithExistingTransaction(
            Object transaction, List<TransactionSynchronization> synchronizations) {
        ((ContainerTransaction) transaction).synchronizations.addAll(synchronizations);
    }

    @Override
    protected void doSetRollbackOnly(DefaultTransactionStatus status) {
        throw new UnsupportedOperationException();
    }

    @Override
    protected void doBegin(Object transaction, TransactionDefinition definition) {
        throw new UnsupportedOperationException();
    }

    @Override
    protected void doCommit(DefaultTransactionStatus status) {
        throw new UnsupportedOperationException();
    }

    @Override
    protected void doRollback(DefaultTransactionStatus status) {
        throw new UnsupportedOperationException();
    }
}
