package io.github.lockstarter.coexistence;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockOperations;
import java.time.Duration;
import java.time.Instant;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.provider.redis.spring.RedisLockProvider;
import net.javacrumbs.shedlock.spring.annotation.EnableSchedulerLock;
import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/** Beside ShedLock, which skips what another caller runs, where the starter waits. */
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
    void bothExclude() throws Exception {
        Jobs jobs = application.bean(Jobs.class);

        Section.crowd(jobs::byShedLock);
        Section.crowd(jobs::byStarter);

        assertThat(jobs.shedLock().mostInside()).isEqualTo(1);
        assertThat(jobs.shedLock().runs()).isBetween(1, Section.ALL);
        assertThat(jobs.starter().mostInside()).isEqualTo(1);
        assertThat(jobs.starter().runs()).isEqualTo(Section.ALL);
    }

    /** Hence all instances change over together. */
    @Test
    void theSameNameIsTwoLocks() {
        SimpleLock theirs = application
                .bean(LockProvider.class)
                .lock(new LockConfiguration(Instant.now(), "report", Duration.ofSeconds(30), Duration.ZERO))
                .orElseThrow();
        try (LockHandle ours = application.bean(LockOperations.class).acquire("report")) {
            assertThat(ours.isHeld()).isTrue();
        } finally {
            theirs.unlock();
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

    static class Jobs {

        private final Section shedLock = new Section();
        private final Section starter = new Section();

        @SchedulerLock(name = "job")
        public void byShedLock() {
            shedLock.run();
        }

        @DistributedLock(name = "job")
        public void byStarter() {
            starter.run();
        }

        public Section shedLock() {
            return shedLock;
        }

        public Section starter() {
            return starter;
        }
    }
}
