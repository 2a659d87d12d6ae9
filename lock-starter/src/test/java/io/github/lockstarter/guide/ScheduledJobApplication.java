package io.github.lockstarter.guide;

import io.github.lockstarter.LockHandle;
import io.github.lockstarter.SkippedCallListener;
import io.github.lockstarter.autoconfigure.DistributedLockAutoConfiguration;
import io.github.lockstarter.autoconfigure.redis.RedisLockAutoConfiguration;
import io.github.lockstarter.scheduling.ScheduledLock;
import java.time.Clock;
import java.time.Duration;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/**
 * One instance of an application with scheduled jobs, whose clock is ahead by {@code --test.ahead} milliseconds. Prints
 * each attempt to run a job, with the tick as its clock says, the time as the clock of the machine says, and the
 * fencing token, which is the time of the grant as the server's clock says.
 */
@Configuration(proxyBeanMethods = false)
@EnableScheduling
@ImportAutoConfiguration({
    DataRedisAutoConfiguration.class,
    DistributedLockAutoConfiguration.class,
    RedisLockAutoConfiguration.class
})
@Import(ScheduledJobApplication.Jobs.class)
class ScheduledJobApplication {

    static final String READY = "READY";

    /** Runs. */
    public static void main(String[] arguments) {
        SpringApplication application = new SpringApplication(ScheduledJobApplication.class);
        application.setWebApplicationType(WebApplicationType.NONE);
        application.run(arguments);
        System.out.println(READY);
    }

    @Bean
    Clock clock(@Value("${test.ahead}") long ahead) {
        return Clock.offset(Clock.systemUTC(), Duration.ofMillis(ahead));
    }

    @Bean
    ThreadPoolTaskScheduler taskScheduler(Clock clock) {
        ThreadPoolTaskScheduler scheduler = new ThreadPoolTaskScheduler();
        scheduler.setClock(clock);
        scheduler.setPoolSize(2);
        return scheduler;
    }

    static class Jobs implements SkippedCallListener {

        private final Clock clock;

        Jobs(Clock clock) {
            this.clock = clock;
        }

        /** Its lease ends before the next tick, so that a crash in the middle of it costs no other tick. */
        @Scheduled(cron = "* * * * * *")
        @ScheduledLock(name = ScheduledJobIT.KEPT, minHoldMs = ScheduledJobIT.AT_LEAST_MS, leaseMs = 900)
        public void kept() {
            print("RUN", ScheduledJobIT.KEPT);
        }

        @Scheduled(cron = "* * * * * *")
        @ScheduledLock(name = ScheduledJobIT.NOT_KEPT, minHoldMs = 0, leaseMs = 900)
        public void notKept() {
            print("RUN", ScheduledJobIT.NOT_KEPT);
        }

        @Override
        public void skipped(String name, Outcome outcome) {
            print("SKIP", name);
        }

        private void print(String what, String job) {
            long tick = (clock.millis() + 500) / 1000;
            long fencingToken =
                    LockHandle.current().map(LockHandle::fencingToken).orElse(0L);
            System.out.println(what + " " + job + " " + tick + " " + System.currentTimeMillis() + " " + fencingToken);
        }
    }
}
