package io.github.lockstarter.benchmarks.micro;

import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;

/** Empty transactions: Spring's overhead without a database. */
final class EmptyTransactions extends AbstractPlatformTransactionManager {

    @Override
    protected Object doGetTransaction() {
        return this;
    }

    @Override
    protected void doBegin(Object transaction, TransactionDefinition definition) {}

    @Override
    protected void doCommit(DefaultTransactionStatus status) {}

    @Override
    protected void doRollback(DefaultTransactionStatus status) {}
}
