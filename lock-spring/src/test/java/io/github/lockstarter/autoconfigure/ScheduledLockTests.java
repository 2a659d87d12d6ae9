package io.github.lockstarter.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.DistributedLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.scheduling.annotation.Scheduled;

/** A scheduled method that waits for its lock: every instance runs it at each tick. */
@ExtendWith(OutputCaptureExtension.class)
class ScheduledLockTests {

    private static final String WARNING = "every instance of the application runs it at each tick";

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(DistributedLockAutoConfiguration.class))
            .withPropertyValues("distributed-lock.backend=local");

    static class Nightly {
        @Scheduled(cron = "0 0 3 * * *")
        @Scheduled(cron = "0 0 15 * * *")
        @DistributedLock(name = "nightly")
        public void run() {}
    }

    static class NightlyWithoutWait {
        @Scheduled(cron = "0 0 3 * * *")
        @DistributedLock(waitMs = 0)
        public void run() {}
    }

    @Test
    void isWarnedOfOnceAtTheStart(CapturedOutput output) {
        application
                .withBean("one", Nightly.class)
                .withBean("two", Nightly.class)
                .run(context -> assertThat(output.getAll().lines().filter(line -> line.contains(WARNING)))
                        .singleElement()
                        .asString()
                        .contains("WARN")
                        .contains(
                                "ScheduledLockTests.Nightly.run() is @Scheduled and waits up to 5000ms for lock 'nightly'")
                        .contains("LockOperations.tryExecute"));
    }

    @Test
    void isSoundWithoutAWait(CapturedOutput output) {
        application.withBean(NightlyWithoutWait.class).run(context -> assertThat(output)
                .doesNotContain(WARNING));
        application
                .withPropertyValues("distributed-lock.locks.nightly.wait=0")
                .withBean(Nightly.class)
                .run(context -> assertThat(output).doesNotContain(WARNING));
        application
                .withPropertyValues("distributed-lock.wait=0")
                .withBean(Nightly.class)
                .run(context -> assertThat(output).doesNotContain(WARNING));
    }
}
