package io.github.lockstarter.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.HeldLock;
import io.github.lockstarter.InTransaction;
import io.github.lockstarter.LockOperations;
import io.github.lockstarter.transaction.testing.H2Bank;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * A locked method that is called inside a transaction of its caller, which ends after the release; {@code
 * PropagationSuite} has each propagation.
 */
@ExtendWith(OutputCaptureExtension.class)
class CallInTransactionTests {

    private static final String WARNING = "is called inside a transaction of its caller";

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(DistributedLockAutoConfiguration.class))
            .withUserConfiguration(Transactions.class)
            .withBean(Account.class)
            .withPropertyValues("distributed-lock.backend=local");

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement
    @Import(H2Bank.class)
    static class Transactions {}

    static class Account {
        @DistributedLock(name = "account", key = "#id")
        @Transactional
        public void pay(long id) {}

        @DistributedLock(name = "account", key = "#id")
        public void close(long id) {}
    }

    static class Explicit {
        @DistributedLock(name = "account", key = "#id", inTransaction = InTransaction.RELEASE_AFTER)
        public void keep(long id) {}

        @DistributedLock(name = "account", key = "#id", inTransaction = InTransaction.REFUSE)
        public void refuse(long id) {}

        @DistributedLock(name = "account", key = "#id", inTransaction = InTransaction.REFUSE)
        @Transactional(propagation = Propagation.REQUIRES_NEW)
        public void payInItsOwn(long id) {}
    }

    static class Ledger {
        @DistributedLock(name = "account", key = "#id", inTransaction = InTransaction.RELEASE_AFTER)
        public void keep(long id) {}

        @DistributedLock(
                name = "account",
                key = "#id",
                locks = "acmeLocks",
                inTransaction = InTransaction.RELEASE_AFTER)
        public void keepInAcme(long id) {}

        @DistributedLock(name = "account", key = "#id", locks = "acmeLocks", inTransaction = InTransaction.REFUSE)
        public void refuseInAcme(long id) {}
    }

    private static void inTransaction(ApplicationContext context, Runnable calls) {
        new TransactionTemplate(context.getBean(PlatformTransactionManager.class))
                .executeWithoutResult(status -> calls.run());
    }

    private static long warnings(CapturedOutput output) {
        return output.getAll().lines().filter(line -> line.contains(WARNING)).count();
    }

    @Test
    void warnsOncePerMethodCalledInATransaction(CapturedOutput output) {
        application.run(context -> {
            Account account = context.getBean(Account.class);
            inTransaction(context, () -> {
                account.pay(1);
                account.pay(2);
            });
            assertThat(warnings(output)).isOne();
            inTransaction(context, () -> account.close(1));
            assertThat(warnings(output)).isEqualTo(2);
            assertThat(output)
                    .contains(
                            "CallInTransactionTests.Account.pay(long) is called inside a transaction of its caller: lock "
                                    + "'account:1' is released before that transaction commits")
                    .contains("@Transactional(propagation = Propagation.REQUIRES_NEW)")
                    .contains("Lock the method that opens the transaction");
        });
    }

    /** As the managers of Kafka, RabbitMQ and JMS are by default. */
    @Test
    void warnsOncePerMethodWhenTheTransactionManagerHasNoSynchronization(CapturedOutput output) {
        application.withBean(Explicit.class).run(context -> {
            context.getBean(AbstractPlatformTransactionManager.class)
                    .setTransactionSynchronization(AbstractPlatformTransactionManager.SYNCHRONIZATION_NEVER);
            Explicit explicit = context.getBean(Explicit.class);
            Account account = context.getBean(Account.class);
            explicit.keep(1);
            explicit.refuse(1);
            context.getBean(LockOperations.class)
                    .execute("account:1", () -> inTransaction(context, () -> explicit.keep(1)));
            inTransaction(context, () -> {
                account.close(1);
                explicit.payInItsOwn(1);
            });
            assertThat(warnings(output)).isZero();
            inTransaction(context, () -> {
                explicit.keep(1);
                explicit.keep(2);
                explicit.refuse(1);
            });
            assertThat(warnings(output)).isEqualTo(2);
            assertThat(output)
                    .contains("inTransaction = RELEASE_AFTER has no effect on a transaction without synchronization")
                    .contains("inTransaction = REFUSE has no effect on a transaction without synchronization");
        });
    }

    private final ApplicationContextRunner withTwoStores = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    DistributedLockAutoConfiguration.class,
                    AcmeLockAutoConfiguration.class,
                    LockBackendOptionTests.OtherLockAutoConfiguration.class))
            .withUserConfiguration(Transactions.class)
            .withBean(Ledger.class)
            .withPropertyValues("distributed-lock.backend=other", "distributed-lock.further-backends=acme");

    @Test
    void keepsTheLockOfEachStoreUntilTheTransactionEnds() {
        withTwoStores.run(context -> {
            Ledger ledger = context.getBean(Ledger.class);
            LockOperations first = context.getBean(LockOperations.class);
            LockOperations acme = context.getBean("acmeLocks", LockOperations.class);
            inTransaction(context, () -> {
                ledger.keep(1);
                ledger.keepInAcme(1);
                ledger.keep(1);
                ledger.keepInAcme(1);
                for (LockOperations locks : List.of(first, acme)) {
                    assertThat(locks.heldLocks().find("account:1").map(HeldLock::holdCount))
                            .contains(1);
                }
            });
            assertThat(first.heldLocks().size() + acme.heldLocks().size()).isZero();
        });
    }

    @Test
    void refusesALockWhoseKeyOnlyAnotherStoreHolds() {
        withTwoStores.run(context -> {
            Ledger ledger = context.getBean(Ledger.class);
            LockOperations first = context.getBean(LockOperations.class);
            LockOperations acme = context.getBean("acmeLocks", LockOperations.class);
            inTransaction(context, () -> {
                ledger.keep(1);
                assertThatThrownBy(() -> ledger.refuseInAcme(1)).hasMessageContaining(WARNING);
                ledger.keepInAcme(1);
                ledger.refuseInAcme(1);
            });
            first.execute(
                    "account:1",
                    () -> inTransaction(context, () -> assertThatThrownBy(() -> ledger.refuseInAcme(1))
                            .hasMessageContaining(WARNING)));
            acme.execute("account:1", () -> inTransaction(context, () -> ledger.refuseInAcme(1)));
        });
    }
}
