package io.github.lockstarter.guide;

import io.github.lockstarter.LockHandle;
import io.github.lockstarter.autoconfigure.DistributedLockAutoConfiguration;
import io.github.lockstarter.autoconfigure.redis.RedisLockAutoConfiguration;
import io.github.lockstarter.engine.LockEngine;
import io.github.lockstarter.scheduling.ScheduledLock;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.context.LifecycleAutoConfiguration;
import org.springframework.boot.autoconfigure.task.TaskSchedulingAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.context.ApplicationListener;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

/**
 * One instance of an application with a scheduled job. The job takes {@code --test.work-ms}; if the application closes
 * meanwhile, the job continues for {@link #AFTER_CLOSE_MS} from then on. Prints the start and end of each run by {@link
 * System#nanoTime()}, and whether the lock is held at the end.
 */
@Configuration(proxyBeanMethods = false)
@EnableScheduling
@ImportAutoConfiguration({
    LifecycleAutoConfiguration.class,
    TaskSchedulingAutoConfiguration.class,
    DataRedisAutoConfiguration.class,
    DistributedLockAutoConfiguration.class,
    RedisLockAutoConfiguration.class
})
@Import(RollingRestartApplication.Job.class)
class RollingRestartApplication {

    static final String READY = "READY";
    static final String BEGUN = "BEGUN";
    static final String ENDED = "ENDED";

    /** Longer than it takes until a disconnected holder counts as crashed, which is 1.5 s. */
    private static final long AFTER_CLOSE_MS = 2500;

    /** Runs. */
    public static void main(String[] arguments) {
        SpringApplication application = new SpringApplication(RollingRestartApplication.class);
        application.setWebApplicationType(WebApplicationType.NONE);
        application.run(arguments);
        System.out.println(READY);
    }

    /** The control: the shutdown releases the locks, whatever runs under them. */
    @Bean
    @ConditionalOnBooleanProperty("test.release-on-close")
    ApplicationListener<ContextClosedEvent> releaseOnClose(LockEngine engine) {
        return event -> engine.stop();
    }

    static class Job implements ApplicationListener<ContextClosedEvent> {

        private final CountDownLatch closed = new CountDownLatch(1);
        private final long workMs;

        Job(@Value("${test.work-ms}") long workMs) {
            this.workMs = workMs;
        }

        @Override
        public void onApplicationEvent(ContextClosedEvent event) {
            closed.countDown();
        }

        @Scheduled(fixedDelay = 50)
        @ScheduledLock(name = "rolling-restart", minHoldMs = 0, leaseMs = 30_000)
        public void run() throws InterruptedException {
            LockHandle handle = LockHandle.current().orElseThrow();
            System.out.println(BEGUN + " " + System.nanoTime());
            if (closed.await(workMs, TimeUnit.MILLISECONDS)) {
                Thread.sleep(AFTER_CLOSE_MS); // the rest of the work, which a shutdown does not shorten
            }
            boolean held = handle.isHeld();
            System.out.println(ENDED + " " + System.nanoTime() + " " + held);
        }
    }
}
