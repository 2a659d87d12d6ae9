package io.github.lockstarter.transaction.testing;

import static io.github.lockstarter.transaction.testing.Bank.committedBalance;
import static io.github.lockstarter.transaction.testing.Bank.inTransaction;
import static io.github.lockstarter.transaction.testing.Bank.transaction;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.kit.Patience;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Data that the next owner of a lock reads if the lock is released before, and after, the caller's transaction has
 * committed.
 */
public abstract class StaleReadSuite {

    /** An application with locks and a {@link Bank}. */
    protected abstract ApplicationContextRunner application();

    private ApplicationContextRunner releasingBefore() {
        return application()
                .withUserConfiguration(PropagationSuite.Transactions.class)
                .withBean(Account.class)
                .withBean(ContendedCalls.class)
                .withPropertyValues("distributed-lock.in-transaction=warn");
    }

    private ApplicationContextRunner releasingAfter() {
        return releasingBefore().withPropertyValues("distributed-lock.in-transaction=release-after");
    }

    @Test
    void readsOldDataIfTheLockIsReleasedBeforeTheCommit() {
        releasingBefore().run(context -> {
            Account account = context.getBean(Account.class);
            inTransaction(context, transaction -> {
                account.required();
                assertThat(CompletableFuture.supplyAsync(account::read).join()).isEqualTo(100);
            });
            assertThat(account.read()).isEqualTo(90);
        });
    }

    @Test
    void readsNewDataIfTheLockIsReleasedAfterTheCommit() {
        releasingAfter().run(context -> {
            Account account = context.getBean(Account.class);
            List<CompletableFuture<Integer>> reading = new ArrayList<>();
            inTransaction(context, transaction -> {
                account.required();
                reading.add(CompletableFuture.supplyAsync(account::read));
                await(context.getBean(ContendedCalls.class).first());
            });
            assertThat(reading.get(0).join()).isEqualTo(90);
        });
    }

    @Test
    void losesAnUpdateIfTheLockIsReleasedBeforeTheCommit() {
        releasingBefore().run(context -> {
            CountDownLatch hasRead = new CountDownLatch(1);
            List<CompletableFuture<Void>> other = new ArrayList<>();
            inTransaction(context, transaction -> {
                context.getBean(Account.class).required();
                other.add(withdrawElsewhere(context, hasRead));
                await(hasRead);
            });
            other.get(0).join();
            assertThat(committedBalance(context)).as("after two withdrawals").isEqualTo(90);
        });
    }

    @Test
    void losesNoUpdateIfTheLockIsReleasedAfterTheCommit() {
        releasingAfter().run(context -> {
            CountDownLatch hasRead = new CountDownLatch(1);
            List<CompletableFuture<Void>> other = new ArrayList<>();
            inTransaction(context, transaction -> {
                context.getBean(Account.class).required();
                other.add(withdrawElsewhere(context, hasRead));
                await(context.getBean(ContendedCalls.class).first());
                assertThat(hasRead.getCount()).as("the other one has not read").isOne();
            });
            other.get(0).join();
            assertThat(committedBalance(context)).as("after two withdrawals").isEqualTo(80);
        });
    }

    /** The lock cannot help: the snapshot of the transaction was taken before the lock was requested. */
    @Test
    void readsOldDataFromASnapshotThatIsOlderThanTheLock() {
        releasingAfter().run(context -> {
            assertThat(readAfterAWithdrawal(context, TransactionDefinition.ISOLATION_REPEATABLE_READ))
                    .isEqualTo(100);
            assertThat(readAfterAWithdrawal(context, TransactionDefinition.ISOLATION_READ_COMMITTED))
                    .isEqualTo(80);
        });
    }

    /** In a transaction that has read before another one withdraws under the lock. */
    private static Integer readAfterAWithdrawal(ApplicationContext context, int isolation) {
        TransactionTemplate transaction = transaction(context);
        transaction.setIsolationLevel(isolation);
        return transaction.execute(status -> {
            Account.balance(context.getBean(JdbcTemplate.class));
            withdrawElsewhere(context, new CountDownLatch(1)).join();
            return context.getBean(Account.class).read();
        });
    }

    private static CompletableFuture<Void> withdrawElsewhere(ApplicationContext context, CountDownLatch hasRead) {
        return CompletableFuture.runAsync(() -> inTransaction(
                context, transaction -> context.getBean(Account.class).withdrawAfterReading(hasRead::countDown)));
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(Patience.SECONDS, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }
}
