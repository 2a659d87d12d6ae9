package io.github.lockstarter.transaction;

import io.github.lockstarter.autoconfigure.DistributedLockAutoConfiguration;
import io.github.lockstarter.transaction.testing.H2Bank;
import io.github.lockstarter.transaction.testing.PropagationSuite;
import io.github.lockstarter.transaction.testing.StaleReadSuite;
import org.junit.jupiter.api.Nested;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

class H2TransactionTests {

    private static ApplicationContextRunner onH2() {
        return new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(DistributedLockAutoConfiguration.class))
                .withUserConfiguration(H2Bank.class)
                .withPropertyValues("distributed-lock.backend=local");
    }

    @Nested
    class Propagation extends PropagationSuite {
        @Override
        protected ApplicationContextRunner application() {
            return onH2();
        }
    }

    @Nested
    class StaleReads extends StaleReadSuite {
        @Override
        protected ApplicationContextRunner application() {
            return onH2();
        }
    }
}
