package io.github.lockstarter.transaction;

import io.github.lockstarter.LockHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.ReactiveTransaction;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.TransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Rolls back a transaction if a lock of the committing thread was lost before the commit, unless it has {@link
 * io.github.lockstarter.OnLost#RETURN}. Checks after the flush. Only
 * fencing tokens detect a loss during the commit. {@link ReactiveCommitGuard} guards reactive transactions.
 *
 * <p>Listens to each transaction manager of the context: to later ones before another post-processor wraps them, to
 * those that are older than this bean, also of a parent context, when all singletons exist. Warns of managers without
 * listeners.
 */
public final class CommitGuard implements BeanPostProcessor, SmartInitializingSingleton, DisposableBean {

    private static final Logger log = LoggerFactory.getLogger(CommitGuard.class);

    /** Ends with the synchronization of its transaction, which has no state for "committed". */
    private static final TransactionSynchronization COMMITTED = new TransactionSynchronization() {};

    private final TransactionExecutionListener guard = new TransactionExecutionListener() {
        @Override
        public void beforeCommit(TransactionExecution transaction) {
            if (transaction instanceof ReactiveTransaction) {
                return; // its thread must not wait
            }
            LockHandle.ensureAllHeld();
            TransactionLocks.ensureHeld();
            if (transaction instanceof DefaultTransactionStatus status && status.isNewSynchronization()) {
                TransactionSynchronizationManager.registerSynchronization(COMMITTED);
            }
        }
    };

    private final ConfigurableListableBeanFactory beans;
    private final Set<String> known = ConcurrentHashMap.newKeySet();
    private final Set<ConfigurableTransactionManager> guarded = ConcurrentHashMap.newKeySet();

    /**
     * Creates the guard.
     *
     * @param beans factory of the transaction managers
     */
    public CommitGuard(ConfigurableListableBeanFactory beans) {
        this.beans = beans;
    }

    /** Whether callbacks after the commit run in this thread's transaction; its synchronization must be active. */
    static boolean isCommitted() {
        return TransactionSynchronizationManager.getSynchronizations().contains(COMMITTED);
    }

    @Override
    public Object postProcessBeforeInitialization(Object bean, String beanName) {
        if (bean instanceof ConfigurableTransactionManager) {
            guard(bean, beanName);
        }
        return bean;
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String beanName) {
        guard(bean, beanName);
        return bean;
    }

    @Override
    public void afterSingletonsInstantiated() {
        BeanFactory next = beans;
        while (next instanceof ConfigurableListableBeanFactory factory) {
            for (String name : factory.getBeanNamesForType(TransactionManager.class, false, false)) {
                if (factory.containsSingleton(name)) {
                    guard(factory.getBean(name), name);
                }
            }
            next = factory.getParentBeanFactory();
        }
    }

    private void guard(Object bean, String name) {
        if (bean instanceof ConfigurableTransactionManager transactions) {
            known.add(name);
            if (!transactions.getTransactionExecutionListeners().contains(guard)) {
                transactions.addListener(guard);
                guarded.add(transactions);
            }
        } else if (bean instanceof TransactionManager && known.add(name)) {
            log.warn(
                    "Transaction manager '{}' is a {}, which takes no TransactionExecutionListener: its commits are "
                            + "not checked for lost locks, unless it commits through a manager that is a bean as well. "
                            + "Extend AbstractPlatformTransactionManager, or check fencing tokens",
                    name,
                    bean.getClass().getName());
        }
    }

    /** Managers of a parent context outlive this one. Replaces their listeners, which a commit may be reading. */
    @Override
    public void destroy() {
        for (ConfigurableTransactionManager transactions : guarded) {
            List<TransactionExecutionListener> others =
                    new ArrayList<>(transactions.getTransactionExecutionListeners());
            others.remove(guard);
            transactions.setTransactionExecutionListeners(others);
        }
    }
}
