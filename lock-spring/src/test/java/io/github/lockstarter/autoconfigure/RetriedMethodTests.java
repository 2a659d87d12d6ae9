package io.github.lockstarter.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.LockAdmin;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.autoconfigure.testing.FailureReport;
import io.github.lockstarter.autoconfigure.testing.LockRunner;
import io.github.lockstarter.scheduling.ScheduledLock;
import io.github.resilience4j.retry.annotation.Retry;
import io.github.resilience4j.retry.configure.RetryAspect;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.resilience.annotation.ConcurrencyLimit;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.retry.annotation.Backoff;
import org.springframework.retry.annotation.EnableRetry;
import org.springframework.retry.annotation.Retryable;

/** Locked methods that an advice calls again after a failure. */
class RetriedMethodTests {

    private final ApplicationContextRunner application =
            LockRunner.application().withPropertyValues("distributed-lock.max-wait=0");

    @Configuration(proxyBeanMethods = false)
    @EnableRetry
    static class RetryInside {}

    @Configuration(proxyBeanMethods = false)
    @EnableRetry(order = Ordered.LOWEST_PRECEDENCE - 1100)
    static class RetryOutside {}

    /** Loses its lock in each attempt. */
    static class Shipping {
        private final LockAdmin admin;
        private final List<Boolean> heldAtStart = new ArrayList<>();

        Shipping(LockAdmin admin) {
            this.admin = admin;
        }

        @DistributedLock(name = "order")
        @Retryable(maxAttempts = 3, backoff = @Backoff(delay = 1))
        public void ship() {
            LockHandle lock = LockHandle.current().orElseThrow();
            heldAtStart.add(lock.isHeld());
            admin.revoke(lock.key(), 0, lock.fencingToken()).join();
            lock.ensureHeld();
        }

        List<Boolean> heldAtStart() {
            return heldAtStart;
        }
    }

    @Test
    void startFailsWhenTheRetryIsInsideTheLock() {
        FailureReport.assertThat(
                        application.withUserConfiguration(RetryInside.class).withBean("shipping", Shipping.class))
                .startsWith("Bean 'shipping': @DistributedLock on RetriedMethodTests.Shipping.ship()")
                .contains("it would run the method again after a loss, without the lock")
                .contains("@EnableRetry(order = Ordered.LOWEST_PRECEDENCE - 1100)");
    }

    @Test
    void acquiresTheLockAgainForEachAttemptOfARetryOutside() {
        application
                .withUserConfiguration(RetryOutside.class)
                .withBean(Shipping.class)
                .run(context -> {
                    Shipping shipping = context.getBean(Shipping.class);
                    assertThatThrownBy(shipping::ship).isInstanceOf(LockLostException.class);
                    assertThat(shipping.heldAtStart()).containsExactly(true, true, true);
                });
    }

    static class Guarded {
        @DistributedLock(name = "order")
        @Retry
        public void ship() {}
    }

    @Test
    void startFailsWhenTheRetryOfResilience4jIsInsideTheLock() {
        FailureReport.assertThat(application.withBean(RetryAspect.class).withBean(Guarded.class))
                .contains("it would run the method again after a loss, without the lock")
                .contains("resilience4j.retry.retry-aspect-order=2147482547");
        application
                .withPropertyValues("distributed-lock.order=" + (Ordered.LOWEST_PRECEDENCE - 1))
                .withBean(RetryAspect.class)
                .withBean(Guarded.class)
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Configuration(proxyBeanMethods = false)
    @EnableResilientMethods
    static class SpringRetry {}

    static class Report {
        private int bodies;

        @ScheduledLock(name = "report")
        @org.springframework.resilience.annotation.Retryable(maxRetries = 2, delay = 1)
        public void write() {
            bodies++;
            throw new IllegalStateException("no");
        }

        int bodies() {
            return bodies;
        }
    }

    static class KeptReport {
        @ScheduledLock(name = "report", minHold = "3s")
        @org.springframework.resilience.annotation.Retryable(maxRetries = 2, delay = 1)
        public void write() {}
    }

    static class Attempts {
        private final List<Long> fencingTokens = new ArrayList<>();

        @DistributedLock(name = "order")
        @org.springframework.resilience.annotation.Retryable(maxRetries = 2, delay = 1)
        public void ship() {
            fencingTokens.add(LockHandle.current().orElseThrow().fencingToken());
            throw new IllegalStateException("no");
        }

        List<Long> fencingTokens() {
            return fencingTokens;
        }
    }

    @Test
    void acquiresTheLockAgainForEachAttemptOfSpringsRetry() {
        application
                .withUserConfiguration(SpringRetry.class)
                .withBean(Attempts.class)
                .run(context -> {
                    Attempts attempts = context.getBean(Attempts.class);
                    assertThatThrownBy(attempts::ship).hasMessage("no");
                    assertThat(attempts.fencingTokens()).hasSize(3).doesNotHaveDuplicates();
                });
    }

    static class Limited {
        private final CountDownLatch entered = new CountDownLatch(1);
        private final CountDownLatch leave = new CountDownLatch(1);

        @DistributedLock(name = "order")
        @ConcurrencyLimit(1)
        public void ship() throws InterruptedException {
            entered.countDown();
            leave.await();
        }

        CountDownLatch entered() {
            return entered;
        }

        CountDownLatch leave() {
            return leave;
        }
    }

    /** Inside the lock, it would let the second call fail at once, since no caller waits for the lock. */
    @Test
    void waitsForTheConcurrencyLimitBeforeTheLock() {
        application
                .withUserConfiguration(SpringRetry.class)
                .withBean(Limited.class)
                .run(context -> {
                    Limited limited = context.getBean(Limited.class);
                    Callable<Boolean> call = () -> {
                        limited.ship();
                        return true;
                    };
                    FutureTask<Boolean> first = new FutureTask<>(call);
                    FutureTask<Boolean> second = new FutureTask<>(call);
                    new Thread(first).start();
                    limited.entered().await();
                    Thread waiting = new Thread(second);
                    waiting.start();
                    await().until(() -> second.isDone() || waiting.getState() == Thread.State.WAITING);
                    limited.leave().countDown();
                    assertThat(first.get()).isTrue();
                    assertThat(second.get()).isTrue();
                });
    }

    @Test
    void reportsTheFailureOfARetriedJob() {
        application
                .withUserConfiguration(SpringRetry.class)
                .withBean(Report.class)
                .run(context -> {
                    Report report = context.getBean(Report.class);
                    assertThatThrownBy(report::write).hasMessage("no");
                    assertThat(report.bodies()).isEqualTo(3);
                });
    }

    @Test
    void startFailsWhenAMinimumHoldWouldSkipTheNextAttempt() {
        FailureReport.assertThat(
                        application.withUserConfiguration(SpringRetry.class).withBean(KeptReport.class))
                .contains("the next attempt of the retry would be skipped and hide the failure");
        FailureReport.assertThat(application
                        .withUserConfiguration(SpringRetry.class)
                        .withBean(Report.class)
                        .withPropertyValues("distributed-lock.locks.report.min-hold=3s"))
                .contains("the next attempt of the retry would be skipped and hide the failure");
    }
}
