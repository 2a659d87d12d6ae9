package io.github.lockstarter.transaction;

import io.github.lockstarter.LockHandle;
import io.github.lockstarter.OnLost;
import java.util.function.Supplier;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;

/**
 * Rolls a transaction back whose lock was lost before its commit. Looks at every lock under which the committing thread
 * runs, as late as the transaction manager allows: after the changes were flushed. What is lost between this look and
 * the end of the commit is not seen; the fencing token is for that.
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
     * Creates it.
     *
     * @param onLost whether a loss is a failure; asked for with each commit
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
