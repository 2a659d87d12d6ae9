package io.github.lockstarter.integration;

import static io.github.lockstarter.transaction.testing.Bank.inTransaction;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.HeldLock;
import io.github.lockstarter.IfContended;
import io.github.lockstarter.LockOperations;
import io.github.lockstarter.autoconfigure.DistributedLockAutoConfiguration;
import io.github.lockstarter.autoconfigure.testing.LockRunner;
import io.github.lockstarter.leader.LeaderAutoConfiguration;
import io.github.lockstarter.leader.LeaderLocks;
import io.github.lockstarter.shedlock.DistributedLockProvider;
import io.github.lockstarter.transaction.testing.H2Bank;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.Lock;
import net.javacrumbs.shedlock.core.LockConfiguration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;

/** Locks of other libraries and of leaders inside a transaction of their caller, on a real database. */
@ExtendWith(OutputCaptureExtension.class)
class BridgesInTransactionTests {

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(DistributedLockAutoConfiguration.class))
            .withUserConfiguration(H2Bank.class)
            .withPropertyValues("distributed-lock.backend=local", "distributed-lock.max-wait=60s");

    private final ApplicationContextRunner refusing =
            application.withPropertyValues("distributed-lock.in-transaction=refuse");

    private final ApplicationContextRunner releasingAfter =
            application.withPropertyValues("distributed-lock.in-transaction=release-after");

    private static void lockAndUnlock(ApplicationContext context) {
        Lock lock = registryLock(context);
        lock.lock();
        try {
            assertThat(held(context)).isOne();
        } finally {
            lock.unlock();
        }
    }

    private static Lock registryLock(ApplicationContext context) {
        return new DistributedLockRegistry(context.getBean(LockOperations.class)).obtain("1");
    }

    private static int held(ApplicationContext context) {
        return LockRunner.held(context).size();
    }

    private static long warnings(CapturedOutput output) {
        return output.getAll()
                .lines()
                .filter(line -> line.contains("LockOperations is called inside a transaction of its caller"))
                .count();
    }

    @Test
    void warnsOnceOfALockOfTheRegistry(CapturedOutput output) {
        application.run(context -> {
            for (int i = 0; i < 2; i++) {
                inTransaction(context, transaction -> {
                    lockAndUnlock(context);
                    assertThat(held(context)).isZero();
                });
            }
        });
        assertThat(warnings(output)).isOne();
    }

    @Test
    void refusesALockOfTheRegistry() {
        refusing.run(context -> inTransaction(context, transaction -> assertThatThrownBy(
                        () -> registryLock(context).lock())
                .isInstanceOf(IllegalStateException.class)));
        refusing.run(context -> assertThat(held(context)).isZero());
    }

    @Test
    void keepsALockOfTheRegistryUntilTheCommit() {
        releasingAfter.run(context -> {
            inTransaction(context, transaction -> {
                lockAndUnlock(context);
                assertThat(held(context)).isOne();
            });
            assertThat(held(context)).isZero();
        });
    }

    @Test
    void theRegistryAsksTheStoreOnlyAboutALockThatItHasReentered() {
        releasingAfter.run(context -> inTransaction(context, transaction -> {
            Lock lock = registryLock(context);
            assertThat(lock.tryLock()).isTrue();
            assertThat(LockRunner.held(context).find("integration:1").map(HeldLock::renewals))
                    .contains(0L);
            lock.unlock();
        }));
    }

    @Test
    void transactionsDoNotConcernLocksOfShedLock(CapturedOutput output) {
        for (ApplicationContextRunner each : List.of(application, refusing, releasingAfter)) {
            each.run(context -> inTransaction(context, transaction -> {
                LockConfiguration job =
                        new LockConfiguration(Instant.now(), "job", Duration.ofMinutes(1), Duration.ZERO);
                new DistributedLockProvider(context.getBean(LockOperations.class), Duration.ofSeconds(30))
                        .lock(job)
                        .orElseThrow()
                        .unlock();
                assertThat(held(context)).isZero();
            }));
        }
        assertThat(warnings(output)).isZero();
    }

    static class Billing {

        @DistributedLock(name = "billing", locks = LeaderLocks.BEAN, ifContended = IfContended.SKIP)
        public Optional<String> collect() {
            return Optional.of("collected");
        }
    }

    @Test
    void transactionsDoNotConcernLocksOfLeaders() {
        refusing.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, LeaderAutoConfiguration.class))
                .withBean(Billing.class)
                .run(context -> inTransaction(context, transaction -> assertThat(
                                context.getBean(Billing.class).collect())
                        .isEmpty()));
    }
}
