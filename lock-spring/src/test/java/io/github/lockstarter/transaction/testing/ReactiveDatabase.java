package io.github.lockstarter.transaction.testing;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.reactive.AbstractReactiveTransactionManager;
import org.springframework.transaction.reactive.GenericReactiveTransaction;
import org.springframework.transaction.reactive.TransactionSynchronizationManager;
import reactor.core.publisher.Mono;

/** Reactive transactions without data. Records how each has ended. */
public final class ReactiveDatabase extends AbstractReactiveTransactionManager {

    private final List<String> ends = new CopyOnWriteArrayList<>();

    /** {@return {@code commit}, with the number of synchronizations, or {@code rollback}, per transaction} */
    public List<String> ends() {
        return ends;
    }

    @Override
    protected Object doGetTransaction(TransactionSynchronizationManager synchronizations) {
        return new Object();
    }

    @Override
    protected Mono<Void> doBegin(
            TransactionSynchronizationManager synchronizations, Object transaction, TransactionDefinition definition) {
        return Mono.empty();
    }

    @Override
    protected Mono<Void> doCommit(
            TransactionSynchronizationManager synchronizations, GenericReactiveTransaction transaction) {
        int registered = synchronizations.getSynchronizations().size();
        return Mono.fromRunnable(() -> ends.add("commit " + registered));
    }

    @Override
    protected Mono<Void> doRollback(
            TransactionSynchronizationManager synchronizations, GenericReactiveTransaction transaction) {
        return Mono.fromRunnable(() -> ends.add("rollback"));
    }
}
