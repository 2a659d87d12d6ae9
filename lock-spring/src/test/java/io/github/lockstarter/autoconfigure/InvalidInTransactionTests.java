package io.github.lockstarter.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.autoconfigure.testing.FailureReport;
import io.github.lockstarter.scheduling.ScheduledLock;
import io.github.lockstarter.transaction.testing.Account;
import io.github.lockstarter.transaction.testing.H2Bank;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import reactor.core.publisher.Mono;

/** Invalid declarations about the transactions of callers. */
class InvalidInTransactionTests {

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(DistributedLockAutoConfiguration.class))
            .withUserConfiguration(H2Bank.class)
            .withPropertyValues("distributed-lock.backend=local");

    @Test
    void startFailsForAnUnknownValue() {
        FailureReport.assertThat(
                        application.withBean(Account.class).withPropertyValues("distributed-lock.in-transaction=later"))
                .contains("distributed-lock.in-transaction")
                .contains("later")
                .contains("RELEASE_AFTER");
    }

    /** Their annotations have no attribute for it. */
    static class Jobs {
        @ScheduledLock(name = "report", minHoldMs = 0)
        public Mono<Long> report() {
            return Mono.empty();
        }

        @ScheduledLock(name = "index", minHoldMs = 0)
        public CompletableFuture<Long> index() {
            return CompletableFuture.completedFuture(1L);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"refuse", "release-after"})
    void theDefaultDoesNotRefuseAsynchronousJobs(String behaviour) {
        application
                .withBean(Jobs.class)
                .withPropertyValues("distributed-lock.in-transaction=" + behaviour)
                .run(context -> assertThat(context).hasNotFailed());
    }
}
