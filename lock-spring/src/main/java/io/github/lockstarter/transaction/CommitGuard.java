package io.github.lockstarter.transaction;

import io.github.lockstarter.LockHandle;
import io.github.lockstarter.OnLost;
import java.util.function.Supplier;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;

/**
 * Rolls back a transaction if a lock of the committing thread was lost before the commit. Checks after the flush. Only
 * fencing tokens detect a loss during the commit.
 */
public final class CommitGuard implements BeanPostProcessor {

    private final TransactionExecutionListener guard = new TransactionExecutionListener() {
        @Override
        public void beforeCommit(TransactionExecution transaction) {
            if (onLost.get() == OnLost.THROW) {
                LockHandle.ensureAllHeld();
                TransactionLocks.ensureHeld();
            }
        }
    };

    private final Supplier<OnLost> onLost;

    /**
     * Creates the guard.
     *
     * @param onLost read at each commit
     */
    public CommitGuard(Supplier<OnLost> onLost) {
        this.onLost = onLost;
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String beanName) {
        if (bean instanceof ConfigurableTransactionManager transactions) {
            transactions.addListener(guard);
        }
        return bean;
    }
}
