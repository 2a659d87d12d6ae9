package io.github.lockstarter.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.InTransaction;
import io.github.lockstarter.autoconfigure.testing.FailureReport;
import io.github.lockstarter.transaction.testing.Account;
import io.github.lockstarter.transaction.testing.H2Bank;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;

/** What an application must not say of the transactions of callers. */
class InvalidInTransactionTests {

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(DistributedLockAutoConfiguration.class))
            .withUserConfiguration(H2Bank.class)
            .withPropertyValues("distributed-lock.backend=local");

    private final ApplicationContextRunner withUnseenTransactions = application.withUserConfiguration(Unseen.class);

    @Configuration(proxyBeanMethods = false)
    static class Unseen {
        @Bean
        DataSourceTransactionManager unseenTransactions(@Qualifier("database") DataSource database) {
            DataSourceTransactionManager transactions = new DataSourceTransactionManager(database);
            transactions.setTransactionSynchronization(DataSourceTransactionManager.SYNCHRONIZATION_NEVER);
            return transactions;
        }
    }

    static class Keeping {
        @DistributedLock(name = "order", inTransaction = InTransaction.RELEASE_AFTER)
        public void ship() {}
    }

    static class Refusing {
        @DistributedLock(name = "order", inTransaction = InTransaction.REFUSE)
        public void ship() {}
    }

    @ParameterizedTest
    @ValueSource(classes = {Keeping.class, Refusing.class})
    void failsTheStartForTransactionsThatACallDoesNotSee(Class<?> type) {
        String behaviour = type == Keeping.class ? "RELEASE_AFTER" : "REFUSE";
        withUnseenTransactions.withBean(type).run(context -> assertThat(FailureReport.of(context.getStartupFailure()))
                .contains("@DistributedLock on InvalidInTransactionTests." + type.getSimpleName()
                        + ".ship() cannot take "
                        + "effect: inTransaction = " + behaviour + " for lock 'order', but a call does not see the "
                        + "transactions of bean 'unseenTransactions'")
                .contains("Set the transactionSynchronization of 'unseenTransactions' to SYNCHRONIZATION_ALWAYS"));
        application.withBean(type).run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void startsWithTransactionsThatACallDoesNotSeeIfItOnlyWarns() {
        withUnseenTransactions.withBean(Account.class).run(context -> assertThat(context)
                .hasNotFailed());
        withUnseenTransactions
                .withBean(Account.class)
                .withPropertyValues("distributed-lock.in-transaction=release-after")
                .run(context -> assertThat(context).hasFailed());
    }

    @Test
    void failsTheStartForAnUnknownValue() {
        application
                .withBean(Account.class)
                .withPropertyValues("distributed-lock.in-transaction=later")
                .run(context -> assertThat(FailureReport.of(context.getStartupFailure()))
                        .contains("distributed-lock.in-transaction")
                        .contains("later")
                        .contains("RELEASE_AFTER"));
    }

    @Test
    void theAnnotationWinsOverTheDefault() {
        withUnseenTransactions
                .withBean(Keeping.class)
                .withPropertyValues("distributed-lock.in-transaction=warn")
                .run(context -> assertThat(context).hasFailed());
    }
}
