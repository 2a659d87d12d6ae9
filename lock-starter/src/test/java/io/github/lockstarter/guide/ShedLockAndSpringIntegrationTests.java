package io.github.lockstarter.guide;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockOperations;
import io.github.lockstarter.autoconfigure.DistributedLockAutoConfiguration;
import io.github.lockstarter.integration.DistributedLockRegistry;
import io.github.lockstarter.shedlock.DistributedLockProvider;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.spring.annotation.EnableSchedulerLock;
import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.integration.support.leader.LockRegistryLeaderInitiator;
import org.springframework.integration.support.locks.DistributedLock;

/** The recipes of docs/other-uses.md. */
@SuppressWarnings("LockNotBeforeTry") // the application stops with the test
class ShedLockAndSpringIntegrationTests {

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(DistributedLockAutoConfiguration.class))
            .withUserConfiguration(Bridges.class)
            .withPropertyValues("distributed-lock.backend=local");

    @Configuration(proxyBeanMethods = false)
    static class Bridges {

        @Bean
        LockProvider lockProvider(LockOperations locks) {
            return new DistributedLockProvider(locks, Duration.ofSeconds(30));
        }

        @Bean
        DistributedLockRegistry lockRegistry(LockOperations locks) {
            return new DistributedLockRegistry(locks);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableSchedulerLock(defaultLockAtMostFor = "30s")
    static class Jobs {

        private final AtomicInteger runs = new AtomicInteger();

        @SchedulerLock(name = "report", lockAtLeastFor = "30s", lockAtMostFor = "2h")
        public void report() {
            runs.incrementAndGet();
        }

        public int runs() {
            return runs.get();
        }
    }

    @Test
    void runsAMethodWithSchedulerLockOncePerTick() {
        application.withUserConfiguration(Jobs.class).run(context -> {
            Jobs jobs = context.getBean(Jobs.class);
            jobs.report();
            jobs.report();
            assertThat(jobs.runs()).isOne();
            assertThat(context.getBean(LockOperations.class).tryAcquire("shedlock:report"))
                    .isEmpty();
        });
    }

    @Configuration(proxyBeanMethods = false)
    @EnableSchedulerLock(defaultLockAtMostFor = "30s")
    static class LongJobs {

        @SchedulerLock(name = "minutely", lockAtLeastFor = "${at-least:PT1M}", lockAtMostFor = "2h")
        public void minutely() {}
    }

    @Test
    void failsTheRunOfAJobWithAMinimumHoldAboveTheLongestLease() {
        application.withUserConfiguration(LongJobs.class).run(context -> assertThatThrownBy(
                        context.getBean(LongJobs.class)::minutely)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("60s")
                .hasMessageContaining("distributed-lock.max-lease"));
    }

    @Test
    void keepsALockForItsMinimumHoldUpToTheLongestLease() {
        ApplicationContextRunner longer = application.withUserConfiguration(LongJobs.class);
        longer.withPropertyValues("at-least=30s")
                .run(context -> assertThat(context).hasNotFailed());
        longer.withPropertyValues("distributed-lock.max-lease=60s").run(context -> {
            context.getBean(LongJobs.class).minutely();
            assertThat(context.getBean(LockOperations.class).tryAcquire("shedlock:minutely"))
                    .isEmpty();
        });
    }

    @Configuration(proxyBeanMethods = false)
    static class Leader {

        @Bean
        LockRegistryLeaderInitiator leader(DistributedLockRegistry registry) {
            return new LockRegistryLeaderInitiator(registry);
        }
    }

    @Test
    void electsALeader() {
        application.withUserConfiguration(Leader.class).run(context -> {
            LockRegistryLeaderInitiator leader = context.getBean(LockRegistryLeaderInitiator.class);
            await().until(() -> leader.getContext().isLeader());
            assertThat(context.getBean(LockOperations.class)
                            .tryAcquire("integration:" + leader.getContext().getRole()))
                    .isEmpty();
        });
    }

    @Test
    void obtainsALockThroughTheRegistry() {
        application.run(context -> {
            DistributedLock lock =
                    context.getBean(DistributedLockRegistry.class).obtain("orders");
            DistributedLock ofBatch =
                    new DistributedLockRegistry(context.getBean(LockOperations.class), "batch").obtain("orders");
            lock.lock();
            assertThat(ofBatch.tryLock()).isTrue();
            CompletableFuture<LockHandle> other =
                    context.getBean(LockOperations.class).acquireAsync("integration:orders");
            assertThat(other.isDone()).isFalse();
            other.cancel(true);
            ofBatch.unlock();
            lock.unlock();
        });
    }
}
