package io.github.lockstarter.coexistence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockOperations;
import io.github.lockstarter.shedlock.DistributedLockProvider;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import net.javacrumbs.shedlock.core.LockAssert;
import net.javacrumbs.shedlock.core.LockExtender;
import net.javacrumbs.shedlock.core.LockExtender.LockCanNotBeExtendedException;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.spring.annotation.EnableSchedulerLock;
import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.data.redis.core.StringRedisTemplate;

/** Two instances with methods of ShedLock, and a lock provider over its locks. */
class ShedLockBridgeIT {

    private static RunningApplication application;
    private static RunningApplication another;

    @BeforeAll
    static void start() {
        application =
                RunningApplication.start(BridgedApplication.class, RunningApplication.Peer.WITHOUT_AUTO_CONFIGURATION);
        another = application.startAnother(BridgedApplication.class);
    }

    @AfterAll
    static void stop() {
        if (another != null) {
            another.close();
        }
        if (application != null) {
            application.close();
        }
    }

    private static Jobs jobs() {
        return application.bean(Jobs.class);
    }

    @Test
    void excludesAndSkips() throws Exception {
        CountingSection.crowd(jobs()::shared);

        assertThat(jobs().section().mostInside()).isEqualTo(1);
        assertThat(jobs().section().runs()).isBetween(1, CountingSection.ALL);
    }

    @Test
    void runsAJobOncePerTickAcrossInstances() {
        jobs().tick();
        another.bean(Jobs.class).tick();
        jobs().tick();

        assertThat(jobs().ticks().runs() + another.bean(Jobs.class).ticks().runs())
                .isOne();
    }

    /** A benefit of the bridge: leases are renewed, so a lease may be shorter than {@code lockAtMostFor}. */
    @Test
    void keepsTheLockForTheWorkWithAShorterLease() throws Exception {
        CountDownLatch running = new CountDownLatch(1);
        CountDownLatch done = new CountDownLatch(1);
        CompletableFuture<Void> first = CompletableFuture.runAsync(() -> jobs().run(running, done));
        running.await();

        assertThat(application.bean(LockOperations.class).heldLocks().find("shedlock:slow"))
                .hasValueSatisfying(
                        held -> assertThat(held.remainingLease()).isBetween(Duration.ZERO, Duration.ofSeconds(30)));
        another.bean(Jobs.class).run(new CountDownLatch(1), done);
        assertThat(another.bean(Jobs.class).slow().runs()).isZero();
        done.countDown();
        first.join();

        another.bean(Jobs.class).run(new CountDownLatch(1), done);
        assertThat(another.bean(Jobs.class).slow().runs()).isOne();
    }

    @Test
    void extendsTheLockOfTheRunningMethod() {
        jobs().extended(() -> {
            LockAssert.assertLocked();
            LockExtender.extendActiveLock(Duration.ofMinutes(5), Duration.ZERO);
            assertThat(application.bean(LockOperations.class).tryAcquire("shedlock:extended"))
                    .isEmpty();
        });
        try (LockHandle free = application.bean(LockOperations.class).acquire("shedlock:extended")) {
            assertThat(free.isHeld()).isTrue();
        }
    }

    @Test
    void refusesToExtendADeletedLock() {
        StringRedisTemplate redis = application.bean(StringRedisTemplate.class);

        assertThatThrownBy(() -> jobs().extended(() -> {
                    assertThat(redis.delete("lock:{shedlock:extended}")).isTrue();
                    assertThatThrownBy(() -> LockExtender.extendActiveLock(Duration.ofMinutes(5), Duration.ZERO))
                            .isInstanceOf(LockCanNotBeExtendedException.class);
                }))
                .isInstanceOf(IllegalStateException.class); // ShedLock unlocks locks that it cannot extend
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @EnableSchedulerLock(defaultLockAtMostFor = "30s")
    @Import(Jobs.class)
    static class BridgedApplication {

        @Bean
        LockProvider lockProvider(LockOperations locks) {
            return new DistributedLockProvider(locks, Duration.ofSeconds(30));
        }
    }

    static class Jobs {

        private final CountingSection section = new CountingSection();
        private final CountingSection ticks = new CountingSection();
        private final CountingSection slow = new CountingSection();

        public CountingSection section() {
            return section;
        }

        public CountingSection ticks() {
            return ticks;
        }

        public CountingSection slow() {
            return slow;
        }

        @SchedulerLock(name = "shared")
        public void shared() {
            section.run();
        }

        @SchedulerLock(name = "tick", lockAtLeastFor = "25s", lockAtMostFor = "30s")
        public void tick() {
            ticks.run();
        }

        @SchedulerLock(name = "slow", lockAtMostFor = "5m")
        public void run(CountDownLatch running, CountDownLatch done) {
            slow.run();
            running.countDown();
            try {
                done.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }

        @SchedulerLock(name = "extended", lockAtMostFor = "1m")
        public void extended(Runnable work) {
            work.run();
        }
    }
}
