package io.github.lockstarter.guide;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockOperations;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.autoconfigure.DistributedLockAutoConfiguration;
import io.github.lockstarter.autoconfigure.redis.RedisLockAutoConfiguration;
import io.github.lockstarter.redis.testing.RedisExtension;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.task.TaskSchedulingAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

/** The recipe of docs/guide/scheduled-jobs.md, in three instances whose clocks differ. */
@ExtendWith(OutputCaptureExtension.class)
class ScheduledJobIT {

    @RegisterExtension
    static final RedisExtension REDIS = new RedisExtension();

    private static final Duration PERIOD = Duration.ofSeconds(3);

    /** The tick of each call of the job, and of each run of its work. */
    private static final List<Long> CALLS = new CopyOnWriteArrayList<>();

    private static final List<Long> RUNS = new CopyOnWriteArrayList<>();

    @Configuration(proxyBeanMethods = false)
    @EnableScheduling
    @Import(Report.class)
    static class Application {}

    static class Report {

        /** Longer than the clocks of the instances differ, shorter than the period of the job. */
        private static final Duration AT_LEAST = Duration.ofSeconds(2);

        private final LockOperations locks;
        private final long clockSkew;

        Report(LockOperations locks, @Value("${test.clock-skew}") long clockSkew) {
            this.locks = locks;
            this.clockSkew = clockSkew;
        }

        @Scheduled(cron = "*/3 * * * * *")
        void tick() throws InterruptedException {
            long tick = System.currentTimeMillis() / PERIOD.toMillis();
            Thread.sleep(clockSkew); // stands for a clock that is behind
            run(() -> RUNS.add(tick));
            CALLS.add(tick);
        }

        void run(Runnable work) {
            LockRequest once = LockRequest.of("report").keptFor(AT_LEAST);
            locks.tryAcquire(once).ifPresent(lock -> {
                try (lock) {
                    work.run();
                }
            });
        }
    }

    private static ApplicationContextRunner instance(long clockSkew) {
        return new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        DataRedisAutoConfiguration.class,
                        DistributedLockAutoConfiguration.class,
                        RedisLockAutoConfiguration.class,
                        TaskSchedulingAutoConfiguration.class))
                .withUserConfiguration(Application.class)
                .withPropertyValues(
                        "test.clock-skew=" + clockSkew,
                        "spring.data.redis.host=" + REDIS.server().host(),
                        "spring.data.redis.port=" + REDIS.server().port());
    }

    /** Ticks that all three instances have seen, by how often the work ran. */
    private static Map<Long, Long> runsByTick() {
        Map<Long, Long> calls = CALLS.stream().collect(Collectors.groupingBy(tick -> tick, Collectors.counting()));
        return calls.entrySet().stream()
                .filter(entry -> entry.getValue() == 3)
                .collect(Collectors.toMap(
                        Map.Entry::getKey,
                        entry -> RUNS.stream().filter(entry.getKey()::equals).count()));
    }

    @Test
    void runsOncePerTickInThreeInstances(CapturedOutput output) {
        instance(0).run(one -> instance(300).run(two -> instance(600).run(three -> {
            await().atMost(Duration.ofSeconds(30))
                    .untilAsserted(() -> assertThat(runsByTick()).hasSizeGreaterThanOrEqualTo(2));
            assertThat(runsByTick().values()).containsOnly(1L);
            assertThat(output).doesNotContain("ERROR").doesNotContain("WARN");
        })));
    }
}
