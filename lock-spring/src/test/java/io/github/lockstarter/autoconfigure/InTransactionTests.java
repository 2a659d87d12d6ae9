package io.github.lockstarter.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.HeldLock;
import io.github.lockstarter.InTransaction;
import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockListener;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockOperations;
import io.github.lockstarter.Renewal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabase;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseBuilder;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseType;
import org.springframework.transaction.IllegalTransactionStateException;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.TransactionTimedOutException;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.event.TransactionPhase;
import org.springframework.transaction.event.TransactionalEventListener;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionSynchronizationUtils;
import org.springframework.transaction.support.TransactionTemplate;

/** Locked methods that are called inside a transaction of their caller, on a real database. */
@ExtendWith(OutputCaptureExtension.class)
class InTransactionTests {

    private static final String WARNING = "is called inside a transaction of its caller";

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(DistributedLockAutoConfiguration.class))
            .withUserConfiguration(Bank.class)
            .withBean(Account.class)
            .withBean(Waiters.class)
            .withPropertyValues("distributed-lock.backend=local");

    private final ApplicationContextRunner releasingAfter =
            application.withPropertyValues("distributed-lock.in-transaction=release-after");

    @Configuration
    @EnableTransactionManagement
    static class Bank {
        @Bean
        @Primary
        EmbeddedDatabase database() {
            return newDatabase();
        }

        @Bean
        EmbeddedDatabase otherDatabase() {
            return newDatabase();
        }

        private static EmbeddedDatabase newDatabase() {
            return new EmbeddedDatabaseBuilder()
                    .setType(EmbeddedDatabaseType.H2)
                    .generateUniqueName(true)
                    .build();
        }

        @Bean
        @Primary
        DataSourceTransactionManager transactions(DataSource database) {
            return new DataSourceTransactionManager(database);
        }

        @Bean
        DataSourceTransactionManager otherTransactions(@Qualifier("otherDatabase") DataSource database) {
            return new DataSourceTransactionManager(database);
        }

        @Bean
        JdbcTemplate jdbc(DataSource database) {
            JdbcTemplate jdbc = new JdbcTemplate(database);
            jdbc.execute("create table account (balance int)");
            jdbc.execute("insert into account values (100)");
            return jdbc;
        }
    }

    static class Waiters implements LockListener {

        private final AtomicInteger count = new AtomicInteger();

        @Override
        public boolean returnsAtOnce() {
            return true;
        }

        @Override
        public void onContended(LockEvent.Contended event) {
            count.incrementAndGet();
        }
    }

    record Paid(String key) {}

    static class Account {
        private final JdbcTemplate jdbc;
        private final ApplicationEventPublisher events;

        Account(JdbcTemplate jdbc, ApplicationEventPublisher events) {
            this.jdbc = jdbc;
            this.events = events;
        }

        @DistributedLock(name = "account")
        public void withoutAnnotation() {
            pay(jdbc);
        }

        @DistributedLock(name = "account")
        @Transactional
        public void required() {
            pay(jdbc);
        }

        @DistributedLock(name = "account")
        @Transactional(propagation = Propagation.SUPPORTS)
        public void supports() {
            pay(jdbc);
        }

        @DistributedLock(name = "account")
        @Transactional(propagation = Propagation.MANDATORY)
        public void mandatory() {
            pay(jdbc);
        }

        @DistributedLock(name = "account")
        @Transactional(propagation = Propagation.NESTED)
        public void nested() {
            pay(jdbc);
        }

        @DistributedLock(name = "account")
        @Transactional(propagation = Propagation.REQUIRES_NEW)
        public void requiresNew() {
            pay(jdbc);
        }

        @DistributedLock(name = "account")
        @Transactional(propagation = Propagation.NOT_SUPPORTED)
        public void notSupported() {
            pay(jdbc);
        }

        @DistributedLock(name = "account")
        @Transactional(propagation = Propagation.NEVER)
        public void never() {
            pay(jdbc);
        }

        @DistributedLock(name = "account", waitMs = 60_000)
        public int read() {
            return balance(jdbc);
        }

        @DistributedLock(name = "key", key = "#key")
        public long token(String key) {
            return LockHandle.current().orElseThrow().fencingToken();
        }

        @DistributedLock(name = "key", key = "#key")
        public long payAndPublish(String key) {
            pay(jdbc);
            events.publishEvent(new Paid(key));
            return LockHandle.current().orElseThrow().fencingToken();
        }

        @DistributedLock(name = "brief", leaseMs = 500, renewal = Renewal.OFF)
        public void payBriefly() {
            pay(jdbc);
        }

        @DistributedLock(name = "key", key = "#key")
        @Transactional(transactionManager = "otherTransactions")
        public void inTheOther(String key) {
            pay(jdbc);
        }

        @DistributedLock(name = "refusing", inTransaction = InTransaction.REFUSE)
        public void refusing() {
            pay(jdbc);
        }

        private static void pay(JdbcTemplate jdbc) {
            jdbc.update("update account set balance = ?", balance(jdbc) - 10);
        }

        private static int balance(JdbcTemplate jdbc) {
            Integer balance = jdbc.queryForObject("select balance from account", Integer.class);
            return balance == null ? 0 : balance;
        }
    }

    private static void call(Account account, String method) {
        switch (method) {
            case "withoutAnnotation" -> account.withoutAnnotation();
            case "required" -> account.required();
            case "supports" -> account.supports();
            case "mandatory" -> account.mandatory();
            case "nested" -> account.nested();
            case "requiresNew" -> account.requiresNew();
            case "notSupported" -> account.notSupported();
            default -> account.never();
        }
    }

    private static TransactionTemplate transaction(ApplicationContext context) {
        return new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
    }

    private static void inTransaction(ApplicationContext context, Consumer<TransactionStatus> calls) {
        transaction(context).executeWithoutResult(calls);
    }

    private static boolean isHeld(ApplicationContext context, String key) {
        return context.getBean(LockOperations.class).heldLocks().find(key).isPresent();
    }

    private static int holds(ApplicationContext context, String key) {
        return context.getBean(LockOperations.class)
                .heldLocks()
                .find(key)
                .map(HeldLock::holdCount)
                .orElse(0);
    }

    private static boolean isFree(ApplicationContext context, String key) {
        LockOperations locks = context.getBean(LockOperations.class);
        return CompletableFuture.supplyAsync(
                        () -> locks.tryExecute(key, () -> {}).wasExecuted())
                .join();
    }

    private static int committedBalance(ApplicationContext context) {
        return CompletableFuture.supplyAsync(() -> Account.balance(context.getBean(JdbcTemplate.class)))
                .join();
    }

    // Which transaction is the caller's

    @ParameterizedTest
    @CsvSource({
        "withoutAnnotation, true",
        "required, true",
        "supports, true",
        "mandatory, true",
        "nested, true",
        "requiresNew, false",
        "notSupported, false"
    })
    void dependsOnThePropagation(String method, boolean isOfTheCaller, CapturedOutput output) {
        application.run(context -> {
            inTransaction(context, transaction -> {
                call(context.getBean(Account.class), method);
                assertThat(isHeld(context, "account")).isFalse();
            });
            assertThat(output.getAll().contains(WARNING)).isEqualTo(isOfTheCaller);
            assertThat(committedBalance(context)).isEqualTo(90);
        });
        application.withPropertyValues("distributed-lock.in-transaction=refuse").run(context -> {
            inTransaction(context, transaction -> {
                Account account = context.getBean(Account.class);
                if (isOfTheCaller) {
                    assertThatThrownBy(() -> call(account, method)).isInstanceOf(IllegalStateException.class);
                } else {
                    call(account, method);
                }
                assertThat(isHeld(context, "account")).isFalse();
            });
            assertThat(committedBalance(context)).isEqualTo(isOfTheCaller ? 100 : 90);
        });
        releasingAfter.run(context -> {
            inTransaction(context, transaction -> {
                call(context.getBean(Account.class), method);
                assertThat(isHeld(context, "account")).isEqualTo(isOfTheCaller);
            });
            assertThat(isHeld(context, "account")).isFalse();
            assertThat(committedBalance(context)).isEqualTo(90);
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"warn", "refuse", "release-after"})
    void leavesTheRefusalOfATransactionToSpring(String behaviour) {
        application
                .withPropertyValues("distributed-lock.in-transaction=" + behaviour)
                .run(context -> {
                    inTransaction(context, transaction -> assertThatThrownBy(
                                    () -> context.getBean(Account.class).never())
                            .isInstanceOf(IllegalTransactionStateException.class));
                    assertThat(isHeld(context, "account")).isFalse();
                });
    }

    @ParameterizedTest
    @ValueSource(strings = {"withoutAnnotation", "required", "supports", "nested", "requiresNew", "never"})
    void changesNothingWithoutATransaction(String method) {
        releasingAfter.run(context -> {
            call(context.getBean(Account.class), method);
            assertThat(isHeld(context, "account")).isFalse();
            assertThat(committedBalance(context)).isEqualTo(90);
        });
    }

    // Refuse

    @Test
    void refusesWithWhatToDo() {
        application.run(context -> inTransaction(context, transaction -> assertThatThrownBy(
                        () -> context.getBean(Account.class).refusing())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageStartingWith(
                        "InTransactionTests.Account.refusing() is called inside a transaction of its caller: lock "
                                + "'refusing' would be released before that transaction commits. The method did not run")
                .hasMessageContaining("Call it outside of the transaction")));
    }

    @Test
    void doesNotRefuseUnderALockAroundTheTransaction() {
        application.run(context -> {
            context.getBean(LockOperations.class)
                    .execute(
                            "refusing",
                            () -> inTransaction(context, transaction -> context.getBean(Account.class)
                                    .refusing()));
            assertThat(committedBalance(context)).isEqualTo(90);
        });
    }

    // The old-read anomaly

    @Test
    void letsAnotherOwnerReadOldDataIfTheLockIsReleasedBeforeTheCommit() {
        application.run(context -> {
            Account account = context.getBean(Account.class);
            inTransaction(context, transaction -> {
                account.required();
                assertThat(CompletableFuture.supplyAsync(account::read).join()).isEqualTo(100);
            });
            assertThat(account.read()).isEqualTo(90);
        });
    }

    @Test
    void letsAnotherOwnerInAfterTheCommit() {
        releasingAfter.run(context -> {
            Account account = context.getBean(Account.class);
            List<CompletableFuture<Integer>> reading = new ArrayList<>();
            inTransaction(context, transaction -> {
                account.required();
                reading.add(CompletableFuture.supplyAsync(account::read));
                await().until(() -> context.getBean(Waiters.class).count.get() == 1);
            });
            assertThat(reading.get(0).join()).isEqualTo(90);
        });
    }

    // How the transaction ends

    @Test
    void releasesAfterARollback() {
        releasingAfter.run(context -> {
            IllegalStateException failure = new IllegalStateException("no");
            assertThat(catchThrowable(() -> inTransaction(context, transaction -> {
                        context.getBean(Account.class).required();
                        throw failure;
                    })))
                    .isSameAs(failure);
            assertThat(isHeld(context, "account")).isFalse();
            inTransaction(context, transaction -> {
                context.getBean(Account.class).required();
                transaction.setRollbackOnly();
                assertThat(isHeld(context, "account")).isTrue();
            });
            assertThat(isHeld(context, "account")).isFalse();
            assertThat(committedBalance(context)).isEqualTo(100);
        });
    }

    @Test
    void releasesAfterATimeout() {
        releasingAfter.run(context -> {
            TransactionTemplate brief = transaction(context);
            brief.setTimeout(1);
            assertThatThrownBy(() -> brief.executeWithoutResult(transaction -> {
                        context.getBean(Account.class).withoutAnnotation();
                        await().pollDelay(Duration.ofMillis(1_100)).until(() -> true);
                        assertThat(isHeld(context, "account")).isTrue();
                        context.getBean(Account.class).withoutAnnotation();
                    }))
                    .isInstanceOf(TransactionTimedOutException.class);
            assertThat(isHeld(context, "account")).isFalse();
            assertThat(committedBalance(context)).isEqualTo(100);
        });
    }

    @Test
    void rollsBackIfTheLockIsLostBeforeTheCommit() {
        releasingAfter.run(context -> {
            assertThatThrownBy(() -> inTransaction(context, transaction -> payBrieflyAndLoseTheLock(context)))
                    .isInstanceOf(LockLostException.class);
            assertThat(committedBalance(context)).isEqualTo(100);
        });
        releasingAfter.withPropertyValues("distributed-lock.on-lost=return").run(context -> {
            inTransaction(context, transaction -> payBrieflyAndLoseTheLock(context));
            assertThat(committedBalance(context)).isEqualTo(90);
        });
    }

    private static void payBrieflyAndLoseTheLock(ApplicationContext context) {
        context.getBean(Account.class).payBriefly();
        assertThat(isHeld(context, "brief")).isTrue();
        await().until(() -> !isHeld(context, "brief"));
    }

    @Test
    void releasesIfTheTransactionEndsOnAnotherThread() {
        releasingAfter.run(context -> {
            Account account = context.getBean(Account.class);
            TransactionSynchronizationManager.initSynchronization();
            TransactionSynchronizationManager.setActualTransactionActive(true);
            try {
                account.token("a");
                List<TransactionSynchronization> known = TransactionSynchronizationManager.getSynchronizations();
                assertThat(isFree(context, "key:a")).isFalse();
                CompletableFuture.runAsync(() -> TransactionSynchronizationUtils.invokeAfterCompletion(
                                known, TransactionSynchronization.STATUS_UNKNOWN))
                        .join();
                assertThat(isHeld(context, "key:a")).isFalse();
            } finally {
                TransactionSynchronizationManager.clear();
            }
            inTransaction(context, transaction -> {
                account.token("a");
                assertThat(holds(context, "key:a")).isOne();
            });
            assertThat(isHeld(context, "key:a")).isFalse();
        });
    }

    // Several locks, several transactions

    @Test
    void keepsEachLockOnce() {
        releasingAfter.run(context -> {
            inTransaction(context, transaction -> {
                Account account = context.getBean(Account.class);
                long first = account.token("a");
                assertThat(account.token("a")).isEqualTo(first);
                account.token("b");
                assertThat(holds(context, "key:a")).isOne();
                assertThat(holds(context, "key:b")).isOne();
            });
            assertThat(context.getBean(LockOperations.class).heldLocks().size()).isZero();
        });
    }

    @Test
    void keepsTheLockOfAnEnclosingMethodThatReleasesBeforeTheCommit() {
        application
                .withPropertyValues("distributed-lock.locks.key.in-transaction=release-after")
                .run(context -> {
                    inTransaction(context, transaction -> {
                        context.getBean(LockOperations.class).execute("key:a", () -> context.getBean(Account.class)
                                .token("a"));
                        assertThat(isHeld(context, "key:a")).isTrue();
                    });
                    assertThat(isHeld(context, "key:a")).isFalse();
                });
    }

    @Test
    void keepsLocksApartForASuspendedTransaction() {
        releasingAfter.run(context -> {
            Account account = context.getBean(Account.class);
            TransactionTemplate inner = transaction(context);
            inner.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
            inTransaction(context, outer -> {
                account.token("outer");
                inner.executeWithoutResult(transaction -> {
                    account.token("inner");
                    account.token("outer");
                    assertThat(holds(context, "key:outer")).isEqualTo(2);
                });
                assertThat(isHeld(context, "key:inner")).isFalse();
                assertThat(holds(context, "key:outer")).isOne();
                account.token("outer");
                assertThat(holds(context, "key:outer")).isOne();
            });
            assertThat(isHeld(context, "key:outer")).isFalse();
        });
    }

    @Test
    void keepsTheLockForTheTransactionOfTheManagerThatBeganLast() {
        releasingAfter.run(context -> {
            Account account = context.getBean(Account.class);
            TransactionTemplate other =
                    new TransactionTemplate(context.getBean("otherTransactions", PlatformTransactionManager.class));
            inTransaction(context, outer -> {
                other.executeWithoutResult(transaction -> {
                    account.token("a");
                    assertThat(isHeld(context, "key:a")).isTrue();
                });
                assertThat(isHeld(context, "key:a")).isFalse();
                account.inTheOther("b");
                assertThat(isHeld(context, "key:b")).isTrue();
            });
            assertThat(isHeld(context, "key:b")).isFalse();
        });
    }

    // After the commit

    static class Listener {
        private final Account account;
        private final List<Long> tokens = new ArrayList<>();

        Listener(Account account) {
            this.account = account;
        }

        @TransactionalEventListener(phase = TransactionPhase.AFTER_COMMIT)
        public void paid(Paid event) {
            tokens.add(account.token(event.key()));
        }
    }

    @Test
    void aListenerAfterTheCommitEntersTheSameLock(CapturedOutput output) {
        releasingAfter.withBean(Listener.class).run(context -> {
            List<Long> paid = new ArrayList<>();
            inTransaction(
                    context,
                    transaction -> paid.add(context.getBean(Account.class).payAndPublish("a")));
            assertThat(context.getBean(Listener.class).tokens).hasSize(1).isEqualTo(paid);
            assertThat(isHeld(context, "key:a")).isFalse();
            assertThat(output).doesNotContain(WARNING);
        });
    }

    @Test
    void refusesToKeepALockForATransactionThatHasEnded() {
        releasingAfter.run(context -> {
            List<Throwable> thrown = new ArrayList<>();
            inTransaction(
                    context,
                    transaction ->
                            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                                @Override
                                public void afterCompletion(int status) {
                                    thrown.add(catchThrowable(
                                            () -> context.getBean(Account.class).token("late")));
                                }
                            }));
            assertThat(thrown)
                    .singleElement()
                    .isInstanceOf(IllegalStateException.class)
                    .extracting(Throwable::getMessage)
                    .asString()
                    .contains("lock 'key:late' cannot be kept until its end")
                    .contains("The method did not run. Give it @Transactional(propagation = Propagation.REQUIRES_NEW)");
            assertThat(isHeld(context, "key:late")).isFalse();
        });
    }

    @Test
    void keepsALockThatIsAskedForRightAfterTheCommit() {
        releasingAfter.run(context -> {
            inTransaction(
                    context,
                    transaction ->
                            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                                @Override
                                public void afterCommit() {
                                    context.getBean(Account.class).token("late");
                                    assertThat(isHeld(context, "key:late")).isTrue();
                                }
                            }));
            assertThat(isHeld(context, "key:late")).isFalse();
        });
    }
}
