package io.github.lockstarter.coexistence;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.scheduling.ScheduledLock;
import io.github.lockstarter.testing.Effort;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.provider.redis.spring.RedisLockProvider;
import net.javacrumbs.shedlock.spring.annotation.EnableSchedulerLock;
import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/** With ShedLock, which skips runs of other callers, while the starter waits. */
@Tag(Effort.FULL)
class ShedLockIT {

    private static RunningApplication application;

    @BeforeAll
    static void start() {
        application =
                RunningApplication.start(ShedLockApplication.class, RunningApplication.Peer.WITHOUT_AUTO_CONFIGURATION);
    }

    @AfterAll
    static void stop() {
        if (application != null) {
            application.close();
        }
    }

    @Test
    void aJobRunsOncePerTickWithBoth() throws Exception {
        Jobs jobs = application.bean(Jobs.class);

        CountingSection.crowd(jobs::tickByShedLock);
        CountingSection.crowd(jobs::tickByStarter);

        assertThat(jobs.ticks().shedLock.runs()).isOne();
        assertThat(jobs.ticks().starter.runs()).isOne();
    }

    /** A benefit of a migration: {@code lockAtMostFor} ends a lock there, and the lease is renewed here. */
    @Test
    @Tag(Effort.TIMING)
    void aRunLongerThanTheLeaseOverlapsOnlyWithShedLock() throws Exception {
        Jobs jobs = application.bean(Jobs.class);

        inSuccession(jobs::slowByShedLock);
        inSuccession(jobs::slowByStarter);

        assertThat(jobs.slow().shedLock.mostInside()).isGreaterThan(1);
        assertThat(jobs.slow().starter.mostInside()).isEqualTo(1);
    }

    /** Begins the second call after the lease of the first, which lasts longer. */
    private static void inSuccession(Runnable call) throws Exception {
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            Thread thread = new Thread(call);
            thread.start();
            threads.add(thread);
            Thread.sleep(1_200); // the lease of the first call has to end, in real time
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @EnableSchedulerLock(defaultLockAtMostFor = "30s")
    @Import(Jobs.class)
    static class ShedLockApplication {

        @Bean
        LockProvider lockProvider(RedisConnectionFactory redis) {
            return new RedisLockProvider(redis);
        }
    }

    static class Sections {
        private final CountingSection shedLock = new CountingSection();
        private final CountingSection starter = new CountingSection();
    }

    static class Jobs {

        private final Sections ticks = new Sections();
        private final Sections slow = new Sections();

        @SchedulerLock(name = "tick", lockAtLeastFor = "20s", lockAtMostFor = "25s")
        public void tickByShedLock() {
            ticks.shedLock.run();
        }

        @ScheduledLock(name = "tick", minHold = "20s", lease = "25s")
        public void tickByStarter() {
            ticks.starter.run();
        }

        @SchedulerLock(name = "slow", lockAtMostFor = "1s")
        public void slowByShedLock() {
            slow.shedLock.stay(Duration.ofSeconds(2));
        }

        @ScheduledLock(name = "slow", lease = "1s", minHoldMs = 0)
        public void slowByStarter() {
            slow.starter.stay(Duration.ofSeconds(2));
        }

        public Sections ticks() {
            return ticks;
        }

        public Sections slow() {
            return slow;
        }
    }
}
