package io.github.lockstarter.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.autoconfigure.testing.FailureReport;
import io.github.lockstarter.transaction.testing.Account;
import io.github.lockstarter.transaction.testing.H2Bank;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Invalid declarations about the transactions of callers. */
class InvalidInTransactionTests {

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(DistributedLockAutoConfiguration.class))
            .withUserConfiguration(H2Bank.class)
            .withPropertyValues("distributed-lock.backend=local");

    @Test
    void startFailsForAnUnknownValue() {
        application
                .withBean(Account.class)
                .withPropertyValues("distributed-lock.in-transaction=later")
                .run(context -> assertThat(FailureReport.of(context.getStartupFailure()))
                        .contains("distributed-lock.in-transaction")
                        .contains("later")
                        .contains("RELEASE_AFTER"));
    }
}
