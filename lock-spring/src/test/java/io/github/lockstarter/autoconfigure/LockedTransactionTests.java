package io.github.lockstarter.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockOperations;
import io.github.lockstarter.autoconfigure.testing.LocalLocks;
import io.github.lockstarter.autoconfigure.testing.RevokingOperator;
import io.github.lockstarter.transaction.testing.H2Bank;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

class LockedTransactionTests {

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(DistributedLockAutoConfiguration.class))
            .withUserConfiguration(Bookings.class)
            .withPropertyValues("distributed-lock.backend=local");

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement
    @Import({H2Bank.class, Accounts.class, Audit.class})
    static class Bookings {}

    static class Audit {
        private final JdbcTemplate jdbc;

        Audit(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
        }

        @DistributedLock
        @Transactional(propagation = Propagation.REQUIRES_NEW)
        public void record(int id) {
            jdbc.update("insert into booking values (?)", id);
        }
    }

    static class Accounts {
        private final JdbcTemplate jdbc;
        private final LockOperations locks;
        private final Audit audit;
        private final ApplicationContext context;

        Accounts(JdbcTemplate jdbc, LockOperations locks, Audit audit, ApplicationContext context) {
            this.jdbc = jdbc;
            this.locks = locks;
            this.audit = audit;
            this.context = context;
        }

        @DistributedLock
        @Transactional
        public List<Integer> heldLocksAroundTheCommit() {
            jdbc.update("insert into booking values (1)");
            List<Integer> held = new ArrayList<>();
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                @Override
                public void afterCommit() {
                    held.add(locks.heldLocks().size());
                }

                @Override
                public void afterCompletion(int status) {
                    held.add(locks.heldLocks().size());
                }
            });
            return held;
        }

        @DistributedLock
        @Transactional
        public void bookAndLoseTheLock() {
            jdbc.update("insert into booking values (2)");
            loseTheLock();
        }

        @DistributedLock
        public void loseTheLockAndBookUnderAnother() {
            loseTheLock();
            audit.record(3);
        }

        private void loseTheLock() {
            RevokingOperator.revoke(context, LockHandle.current().orElseThrow().key());
        }
    }

    private static int bookings(JdbcTemplate jdbc) {
        Integer count = jdbc.queryForObject("select count(*) from booking", Integer.class);
        return count == null ? 0 : count;
    }

    @Test
    void commitsBeforeTheLockIsReleased() {
        application.run(context -> {
            assertThat(context.getBean(Accounts.class).heldLocksAroundTheCommit())
                    .containsExactly(1, 1);
            assertThat(LocalLocks.held(context).size()).isZero();
            assertThat(bookings(context.getBean(JdbcTemplate.class))).isOne();
        });
    }

    @Test
    void rollsBackWhenTheLockWasLostBeforeTheCommit() {
        application.run(context -> {
            assertThatThrownBy(() -> context.getBean(Accounts.class).bookAndLoseTheLock())
                    .isInstanceOf(LockLostException.class);
            assertThat(bookings(context.getBean(JdbcTemplate.class))).isZero();
        });
    }

    @Test
    void rollsBackWhenAnOuterLockWasLostBeforeTheCommit() {
        application.run(context -> {
            assertThatThrownBy(() -> context.getBean(Accounts.class).loseTheLockAndBookUnderAnother())
                    .isInstanceOf(LockLostException.class);
            assertThat(bookings(context.getBean(JdbcTemplate.class))).isZero();
        });
    }

    @Test
    void commitsAfterALossWhenConfiguredToReturn() {
        application.withPropertyValues("distributed-lock.on-lost=return").run(context -> {
            context.getBean(Accounts.class).bookAndLoseTheLock();
            assertThat(bookings(context.getBean(JdbcTemplate.class))).isOne();
        });
    }

    @Test
    void doesNotChangeTransactionsOutsideLocks() {
        application.run(context -> {
            TransactionTemplate transaction =
                    new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
            JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
            transaction.executeWithoutResult(status -> jdbc.update("insert into booking values (5)"));
            assertThat(bookings(jdbc)).isOne();
        });
    }
}
