package io.github.lockstarter.transaction;

import static io.github.lockstarter.transaction.testing.Bank.committedBalance;
import static io.github.lockstarter.transaction.testing.Bank.inTransaction;
import static io.github.lockstarter.transaction.testing.Bank.transaction;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.HeldLock;
import io.github.lockstarter.IfContended;
import io.github.lockstarter.InTransaction;
import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockListener;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockNotAcquiredException;
import io.github.lockstarter.LockOperations;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.autoconfigure.DistributedLockAutoConfiguration;
import io.github.lockstarter.autoconfigure.testing.LockRunner;
import io.github.lockstarter.autoconfigure.testing.RevokingOperator;
import io.github.lockstarter.transaction.ContainerTransactions.ContainerTransaction;
import io.github.lockstarter.transaction.testing.Account;
import io.github.lockstarter.transaction.testing.H2Bank;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
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
import org.springframework.context.annotation.Import;
import org.springframework.core.Ordered;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabase;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionSystemException;
import org.springframework.transaction.TransactionTimedOutException;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.event.TransactionPhase;
import org.springframework.transaction.event.TransactionalEventListener;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Locks that the transaction of a caller keeps, on a real database. */
@ExtendWith(OutputCaptureExtension.class)
class TransactionLocksTests {

    private static final String WARNING = "is called inside a transaction of its caller";

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(DistributedLockAutoConfiguration.class))
            .withUserConfiguration(Databases.class)
            .withBean(Account.class)
            .withBean(Payments.class)
            .withPropertyValues("distributed-lock.backend=local");

    private final ApplicationContextRunner releasingAfter =
            application.withPropertyValues("distributed-lock.in-transaction=release-after");

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement
    @Import(H2Bank.class)
    static class Databases {
        @Bean
        EmbeddedDatabase otherDatabase() {
            return H2Bank.newDatabase();
        }

        @Bean
        DataSourceTransactionManager otherTransactions(@Qualifier("otherDatabase") DataSource database) {
            return new DataSourceTransactionManager(database);
        }

        @Bean
        DataSourceTransactionManager failingTransactions(@Qualifier("otherDatabase") DataSource database) {
            return new FailingTransactions(database);
        }

        @Bean
        ContainerTransactions containerTransactions() {
            return new ContainerTransactions();
        }
    }

    /** The outcome of its commits is unknown. */
    private static final class FailingTransactions extends DataSourceTransactionManager {
        private FailingTransactions(DataSource database) {
            super(database);
        }

        @Override
        protected void doCommit(DefaultTransactionStatus status) {
            throw new TransactionSystemException("The connection broke during the commit");
        }
    }

    record Paid(String key) {}

    static class Payments {
        private final Account account;
        private final ApplicationEventPublisher events;

        Payments(Account account, ApplicationEventPublisher events) {
            this.account = account;
            this.events = events;
        }

        @DistributedLock(name = "key", key = "#key")
        public long token(String key) {
            return LockHandle.current().orElseThrow().fencingToken();
        }

        @DistributedLock(
                name = "key",
                key = {"#one", "#other"})
        public void both(String one, String other) {}

        @DistributedLock(name = "key", key = "#key")
        public void fail(String key) {
            throw new IllegalStateException(key);
        }

        @DistributedLock(name = "key", key = "#key")
        public void call(String key, Runnable body) {
            body.run();
        }

        @DistributedLock(name = "key", key = "#key")
        @Transactional(propagation = Propagation.NESTED)
        public void failNested(String key) {
            throw new IllegalStateException(key);
        }

        @DistributedLock(name = "key", key = "#key")
        public long payAndPublish(String key) {
            account.withoutAnnotation();
            events.publishEvent(new Paid(key));
            return LockHandle.current().orElseThrow().fencingToken();
        }

        @DistributedLock(name = "revoked")
        public void payAndLose() {
            account.withoutAnnotation();
        }

        @DistributedLock(name = "key", key = "#key")
        @Transactional(transactionManager = "otherTransactions")
        public void inTheOther(String key) {}

        @DistributedLock(name = "refusing", inTransaction = InTransaction.REFUSE)
        public void refusing() {
            account.withoutAnnotation();
        }

        @DistributedLock(name = "key", key = "#key", maxWaitMs = 0, ifContended = IfContended.SKIP)
        public Optional<String> skip(String key) {
            return Optional.of(key);
        }

        @DistributedLock(name = "key", key = "#key", maxWaitMs = 0, fallbackMethod = "instead")
        public String fallBack(String key) {
            return key;
        }

        @SuppressWarnings("UnusedMethod") // called by its name
        private String instead(String key, LockNotAcquiredException contention) {
            return "instead of " + key + ": " + contention.key();
        }
    }

    private static boolean isHeld(ApplicationContext context, String key) {
        return LockRunner.held(context).find(key).isPresent();
    }

    private static int holds(ApplicationContext context, String key) {
        return LockRunner.held(context).find(key).map(HeldLock::holdCount).orElse(0);
    }

    private static void elsewhere(Runnable task) {
        CompletableFuture.runAsync(task).join();
    }

    private static void afterCompletion(int order, Runnable task) {
        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
            @Override
            public int getOrder() {
                return order;
            }

            @Override
            public void afterCompletion(int status) {
                task.run();
            }
        });
    }

    // Refuse

    @Test
    void theRefusalSaysWhatToChange() {
        application.run(context -> inTransaction(context, transaction -> assertThatThrownBy(
                        () -> context.getBean(Payments.class).refusing())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageStartingWith(
                        "TransactionLocksTests.Payments.refusing() is called inside a transaction of its caller: lock"
                                + " 'refusing' must not be released before that transaction commits (inTransaction ="
                                + " REFUSE), so the method did not run. Lock the method that opens the transaction")));
    }

    @Test
    void doesNotRefuseUnderALockAroundTheTransaction() {
        application.run(context -> {
            LockOperations locks = context.getBean(LockOperations.class);
            locks.execute(
                    "refusing",
                    () -> locks.execute(
                            "another",
                            () -> inTransaction(context, transaction -> context.getBean(Payments.class)
                                    .refusing())));
            assertThat(committedBalance(context)).isEqualTo(90);
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
            assertThat(isHeld(context, Account.LOCK)).isFalse();
            inTransaction(context, transaction -> {
                context.getBean(Account.class).required();
                transaction.setRollbackOnly();
                assertThat(isHeld(context, Account.LOCK)).isTrue();
            });
            assertThat(isHeld(context, Account.LOCK)).isFalse();
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
                        assertThat(isHeld(context, Account.LOCK)).isTrue();
                        context.getBean(Account.class).withoutAnnotation();
                    }))
                    .isInstanceOf(TransactionTimedOutException.class);
            assertThat(isHeld(context, Account.LOCK)).isFalse();
            assertThat(committedBalance(context)).isEqualTo(100);
        });
    }

    @Test
    void releasesWhenTheOutcomeOfTheCommitIsUnknown() {
        releasingAfter.run(context -> {
            TransactionTemplate failing =
                    new TransactionTemplate(context.getBean("failingTransactions", PlatformTransactionManager.class));
            List<Integer> seen = new ArrayList<>();
            assertThatThrownBy(() -> failing.executeWithoutResult(transaction -> {
                        context.getBean(Payments.class).token("a");
                        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                            @Override
                            public void afterCompletion(int status) {
                                seen.add(status);
                            }
                        });
                    }))
                    .isInstanceOf(TransactionSystemException.class);
            assertThat(seen).containsExactly(TransactionSynchronization.STATUS_UNKNOWN);
            assertThat(isHeld(context, "key:a")).isFalse();
        });
    }

    @Test
    void releasesAfterAReadOnlyTransaction() {
        releasingAfter.run(context -> {
            TransactionTemplate reading = transaction(context);
            reading.setReadOnly(true);
            reading.executeWithoutResult(transaction -> {
                assertThat(context.getBean(Account.class).read()).isEqualTo(100);
                assertThat(isHeld(context, Account.LOCK)).isTrue();
            });
            assertThat(isHeld(context, Account.LOCK)).isFalse();
        });
    }

    @Test
    void rollsBackIfTheLockIsLostBeforeTheCommit() {
        releasingAfter.run(context -> {
            assertThatThrownBy(() -> inTransaction(context, transaction -> payAndLoseTheLock(context)))
                    .isInstanceOf(LockLostException.class);
            assertThat(committedBalance(context)).isEqualTo(100);
        });
        releasingAfter.withPropertyValues("distributed-lock.on-lost=return").run(context -> {
            inTransaction(context, transaction -> payAndLoseTheLock(context));
            assertThat(committedBalance(context)).isEqualTo(90);
        });
    }

    @Test
    void keepsALockThatIsReacquiredAfterItsLoss() {
        releasingAfter.withPropertyValues("distributed-lock.on-lost=return").run(context -> {
            Payments payments = context.getBean(Payments.class);
            inTransaction(context, transaction -> {
                payAndLoseTheLock(context);
                assertThatThrownBy(payments::payAndLose).isInstanceOf(LockLostException.class);
                payments.payAndLose();
                assertThat(isHeld(context, "revoked")).isTrue();
            });
            assertThat(isHeld(context, "revoked")).isFalse();
        });
    }

    private static void payAndLoseTheLock(ApplicationContext context) {
        context.getBean(Payments.class).payAndLose();
        RevokingOperator.revoke(context, "revoked");
    }

    // The end of the body

    @Test
    void keepsTheLockUntilTheEndWhenTheBodyThrows() {
        releasingAfter.run(context -> {
            Payments payments = context.getBean(Payments.class);
            inTransaction(context, transaction -> {
                assertThatThrownBy(() -> payments.fail("a")).hasMessage("a");
                assertThatThrownBy(() -> payments.failNested("b")).hasMessage("b");
                assertThat(holds(context, "key:a")).isOne();
                assertThat(holds(context, "key:b")).as("after the savepoint").isOne();
            });
            assertThat(LockRunner.held(context).size()).isZero();
        });
    }

    @Test
    void keepsNoLockForASkippedCall() {
        releasingAfter.run(context -> {
            Payments payments = context.getBean(Payments.class);
            inTransaction(context, transaction -> {
                LockHandle other = CompletableFuture.supplyAsync(
                                () -> context.getBean(LockOperations.class).acquire("key:a"))
                        .join();
                assertThat(payments.skip("a")).isEmpty();
                assertThat(payments.fallBack("a")).isEqualTo("instead of a: key:a");
                other.release();
                assertThat(payments.skip("a")).contains("a");
                assertThat(payments.fallBack("a")).isEqualTo("a");
                assertThat(holds(context, "key:a")).isOne();
            });
            assertThat(isHeld(context, "key:a")).isFalse();
        });
    }

    // Completion on another thread

    private static TransactionTemplate joining(ContainerTransactions container) {
        return new TransactionTemplate(container);
    }

    @ParameterizedTest
    @ValueSource(
            ints = {
                TransactionSynchronization.STATUS_COMMITTED,
                TransactionSynchronization.STATUS_ROLLED_BACK,
                TransactionSynchronization.STATUS_UNKNOWN
            })
    void releasesIfTheTransactionEndsOnAnotherThread(int status) {
        releasingAfter.run(context -> {
            Payments payments = context.getBean(Payments.class);
            ContainerTransactions container = context.getBean(ContainerTransactions.class);
            ContainerTransaction transaction = container.begin();
            joining(container).executeWithoutResult(scope -> payments.token("a"));
            assertThat(holds(context, "key:a")).isOne();
            context.getBean(LockOperations.class).execute("another", () -> {
                LockHandle current = LockHandle.current().orElseThrow();
                container.completeElsewhere(transaction, status);
                assertThat(LockHandle.current()).containsSame(current);
                LockHandle.ensureAllHeld();
            });
            assertThat(isHeld(context, "key:a")).isFalse();
            inTransaction(context, scope -> {
                payments.token("a");
                assertThat(holds(context, "key:a")).isOne();
            });
            assertThat(LockRunner.held(context).size()).isZero();
        });
    }

    @Test
    void keepsTheLockOfARunningBodyWhenTheTransactionEndsOnAnotherThread() {
        releasingAfter.run(context -> {
            Payments payments = context.getBean(Payments.class);
            ContainerTransactions container = context.getBean(ContainerTransactions.class);
            ContainerTransaction transaction = container.begin();
            joining(container).executeWithoutResult(scope -> payments.token("a"));
            payments.call("a", () -> {
                assertThat(holds(context, "key:a")).isEqualTo(2);
                container.completeElsewhere(transaction, TransactionSynchronization.STATUS_ROLLED_BACK);
                assertThat(holds(context, "key:a")).isOne();
                LockHandle.ensureAllHeld();
            });
            assertThat(isHeld(context, "key:a")).isFalse();
        });
    }

    @Test
    void separatesTheLocksOfATransactionThatTheContainerSuspended() {
        releasingAfter.run(context -> {
            Payments payments = context.getBean(Payments.class);
            ContainerTransactions container = context.getBean(ContainerTransactions.class);
            ContainerTransaction first = container.begin();
            joining(container).executeWithoutResult(scope -> payments.token("a"));
            ContainerTransaction second = container.begin();
            joining(container).executeWithoutResult(scope -> payments.token("a"));
            container.completeElsewhere(first, TransactionSynchronization.STATUS_COMMITTED);
            assertThat(isHeld(context, "key:a")).as("the second has not ended").isTrue();
            container.completeElsewhere(second, TransactionSynchronization.STATUS_COMMITTED);
            assertThat(isHeld(context, "key:a")).isFalse();
        });
    }

    // Several locks, several transactions

    @Test
    void keepsEachLockOnlyOnce() {
        releasingAfter.run(context -> {
            inTransaction(context, transaction -> {
                Payments payments = context.getBean(Payments.class);
                long first = payments.token("a");
                assertThat(payments.token("a")).isEqualTo(first);
                payments.token("b");
                payments.both("a", "b");
                assertThat(holds(context, "key:a")).isOne();
                assertThat(holds(context, "key:b")).isOne();
                payments.both("b", "c");
                assertThat(holds(context, "key:b")).isEqualTo(2);
                assertThat(holds(context, "key:c")).isOne();
            });
            assertThat(LockRunner.held(context).size()).isZero();
        });
    }

    private static final class Releases implements LockListener {
        private final List<String> keys = new ArrayList<>();

        @Override
        public boolean returnsAtOnce() {
            return true;
        }

        @Override
        public void onEvent(LockEvent event) {
            if (event instanceof LockEvent.Released) {
                keys.add(event.key());
            }
        }
    }

    @Test
    void releasesTheLatestLockFirst() {
        releasingAfter.withBean(Releases.class, Releases::new).run(context -> {
            inTransaction(context, transaction -> {
                Payments payments = context.getBean(Payments.class);
                payments.token("a");
                payments.both("c", "b");
                payments.token("d");
            });
            assertThat(context.getBean(Releases.class).keys).containsExactly("key:d", "key:c", "key:b", "key:a");
        });
    }

    @Test
    void keepsTheLockOfAnEnclosingMethodThatReleasesBeforeTheCommit() {
        releasingAfter.run(context -> {
            inTransaction(context, transaction -> {
                context.getBean(LockOperations.class)
                        .execute("key:a", () -> context.getBean(Payments.class).token("a"));
                assertThat(isHeld(context, "key:a")).isTrue();
            });
            assertThat(isHeld(context, "key:a")).isFalse();
        });
    }

    @Test
    void separatesTheLocksOfASuspendedTransaction() {
        releasingAfter.run(context -> {
            Payments payments = context.getBean(Payments.class);
            TransactionTemplate inner = transaction(context);
            inner.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
            TransactionTemplate without = transaction(context);
            without.setPropagationBehavior(TransactionDefinition.PROPAGATION_NOT_SUPPORTED);
            inTransaction(context, outer -> {
                payments.token("outer");
                inner.executeWithoutResult(transaction -> {
                    payments.token("inner");
                    payments.token("outer");
                    assertThat(holds(context, "key:outer")).isEqualTo(2);
                });
                without.executeWithoutResult(none -> payments.token("none"));
                assertThat(isHeld(context, "key:none")).isFalse();
                assertThat(isHeld(context, "key:inner")).isFalse();
                assertThat(holds(context, "key:outer")).isOne();
                payments.token("outer");
                assertThat(holds(context, "key:outer")).isOne();
            });
            assertThat(isHeld(context, "key:outer")).isFalse();
        });
    }

    @Test
    void keepsTheLockForTheMostRecentTransactionOfSeveralManagers() {
        releasingAfter.run(context -> {
            Payments payments = context.getBean(Payments.class);
            TransactionTemplate other =
                    new TransactionTemplate(context.getBean("otherTransactions", PlatformTransactionManager.class));
            inTransaction(context, outer -> {
                other.executeWithoutResult(transaction -> {
                    payments.token("a");
                    assertThat(isHeld(context, "key:a")).isTrue();
                });
                assertThat(isHeld(context, "key:a")).isFalse();
                payments.inTheOther("b");
                assertThat(isHeld(context, "key:b")).isTrue();
            });
            assertThat(isHeld(context, "key:b")).isFalse();
        });
    }

    // After the commit

    static class Listener {
        private final Payments payments;
        private final List<Long> tokens = new ArrayList<>();

        Listener(Payments payments) {
            this.payments = payments;
        }

        @TransactionalEventListener(phase = TransactionPhase.AFTER_COMMIT)
        public void paid(Paid event) {
            tokens.add(payments.token(event.key()));
        }
    }

    @Test
    void aListenerAfterTheCommitReentersTheLock(CapturedOutput output) {
        releasingAfter.withBean(Listener.class).run(context -> {
            List<Long> paid = new ArrayList<>();
            inTransaction(
                    context,
                    transaction -> paid.add(context.getBean(Payments.class).payAndPublish("a")));
            assertThat(context.getBean(Listener.class).tokens).hasSize(1).isEqualTo(paid);
            assertThat(isHeld(context, "key:a")).isFalse();
            assertThat(output).doesNotContain(WARNING);
        });
    }

    @ParameterizedTest
    @ValueSource(ints = {Ordered.HIGHEST_PRECEDENCE, 0, Ordered.LOWEST_PRECEDENCE})
    void releasesAfterTheSynchronizationsOfTheApplication(int order) {
        releasingAfter.run(context -> {
            List<Integer> held = new ArrayList<>();
            inTransaction(context, transaction -> {
                afterCompletion(order, () -> held.add(holds(context, "key:a")));
                context.getBean(Payments.class).token("a");
                afterCompletion(order, () -> held.add(holds(context, "key:a")));
            });
            assertThat(held).containsExactly(1, 1);
            assertThat(isHeld(context, "key:a")).isFalse();
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"warn", "refuse", "release-after"})
    void releasesTheLockOfAListenerAfterTheCommit(String behaviour, CapturedOutput output) {
        application
                .withPropertyValues("distributed-lock.in-transaction=" + behaviour)
                .run(context -> {
                    List<Boolean> held = new ArrayList<>();
                    inTransaction(
                            context,
                            transaction -> afterCompletion(Ordered.LOWEST_PRECEDENCE, () -> {
                                held.add(context.getBean(Payments.class).token("late") > 0);
                                held.add(isHeld(context, "key:late"));
                            }));
                    assertThat(held).containsExactly(true, false);
                    assertThat(output).doesNotContain(WARNING);
                });
    }

    @Test
    void releasesALockThatIsAcquiredAfterTheCommit() {
        releasingAfter.run(context -> {
            inTransaction(
                    context,
                    transaction ->
                            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                                @Override
                                public void afterCommit() {
                                    context.getBean(Payments.class).token("late");
                                    assertThat(isHeld(context, "key:late")).isFalse();
                                }
                            }));
            assertThat(isHeld(context, "key:late")).isFalse();
        });
    }

    @Test
    void aLockedMethodReentersALockOfAnotherOwnerThatTheTransactionKeeps() {
        for (String behaviour : List.of("warn", "refuse", "release-after")) {
            application
                    .withPropertyValues("distributed-lock.max-wait=1s", "distributed-lock.in-transaction=" + behaviour)
                    .withBean(Listener.class)
                    .run(context -> {
                        LockOperations locks = context.getBean(LockOperations.class);
                        Payments payments = context.getBean(Payments.class);
                        List<Long> tokens = new ArrayList<>();
                        inTransaction(context, transaction -> {
                            TransactionLocks.releaseAfterCompletion(
                                    locks.acquireAsync("key:a").join());
                            tokens.add(payments.token("a"));
                            context.publishEvent(new Paid("a"));
                        });
                        assertThat(context.getBean(Listener.class).tokens).isEqualTo(tokens);
                        assertThat(isHeld(context, "key:a")).isFalse();
                    });
        }
    }

    // Without the annotation

    @Test
    void keepsALockThatCodePassesToTheTransaction() {
        application.run(context -> {
            LockOperations locks = context.getBean(LockOperations.class);
            inTransaction(context, transaction -> {
                TransactionLocks.releaseAfterCompletion(locks.acquire("a"));
                TransactionLocks.releaseAfterCompletion(locks.tryAcquire("b").orElseThrow());
                TransactionLocks.releaseAfterCompletion(locks.acquireAsync("c").join());
                assertThat(TransactionLocks.contain(locks, LockRequest.ofAll(List.of("a", "b", "c"))))
                        .isTrue();
                elsewhere(() -> assertThat(locks.tryAcquire("a")).isEmpty());
            });
            assertThat(locks.heldLocks().size()).isZero();
            assertThat(TransactionLocks.contain(locks, LockRequest.of("a"))).isFalse();
        });
    }

    @Test
    void rollsBackIfALockThatCodePassedIsLost() {
        application.run(context -> {
            assertThatThrownBy(() -> inTransaction(context, transaction -> {
                        LockOperations locks = context.getBean(LockOperations.class);
                        TransactionLocks.releaseAfterCompletion(locks.acquire("a"));
                        context.getBean(Account.class).withoutAnnotation();
                        RevokingOperator.revoke(context, "a");
                        assertThat(TransactionLocks.contain(locks, LockRequest.of("a")))
                                .isFalse();
                    }))
                    .isInstanceOf(LockLostException.class)
                    .hasMessageContaining("'a'");
            assertThat(committedBalance(context)).isEqualTo(100);
        });
    }

    @Test
    void releasesALockThatNoTransactionCanKeep() {
        application.run(context -> {
            LockHandle handle = context.getBean(LockOperations.class).acquire("order:42");
            assertThatThrownBy(() -> TransactionLocks.releaseAfterCompletion(handle))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageStartingWith("Lock 'order:42' cannot be kept until the end of the transaction, and is "
                            + "released: this thread has no transaction")
                    .hasMessageContaining("Call releaseAfterCompletion inside a @Transactional method");
            assertThat(isHeld(context, "order:42")).isFalse();
        });
    }
}
