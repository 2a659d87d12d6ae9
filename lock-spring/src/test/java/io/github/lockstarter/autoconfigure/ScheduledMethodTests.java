package io.github.lockstarter.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.IfContended;
import io.github.lockstarter.scheduling.ScheduledLock;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.scheduling.annotation.Scheduled;

/** Scheduled methods whose lock does not make them run once per tick. */
@ExtendWith(OutputCaptureExtension.class)
class ScheduledMethodTests {

    private static final String EVERY_INSTANCE = "every instance of the application runs it at each tick";

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(DistributedLockAutoConfiguration.class))
            .withPropertyValues("distributed-lock.backend=local");

    private static List<String> warnings(String output) {
        return output.lines()
                .filter(line -> line.contains("WARN") && line.contains("ConfiguredLocks"))
                .toList();
    }

    private void assertWarns(CapturedOutput output, Class<?> type, String... texts) {
        int before = output.getAll().length();
        application.withBean("one", type).withBean("two", type).run(context -> assertThat(
                        warnings(output.getAll().substring(before)))
                .singleElement()
                .asString()
                .contains("ScheduledMethodTests." + type.getSimpleName() + ".run() ")
                .contains(texts));
    }

    private void assertSilent(CapturedOutput output, Class<?> type, String... properties) {
        int before = output.getAll().length();
        application.withPropertyValues(properties).withBean(type).run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(warnings(output.getAll().substring(before))).isEmpty();
        });
    }

    static class Nightly {
        @Scheduled(cron = "0 0 3 * * *")
        @Scheduled(cron = "0 0 15 * * *")
        @DistributedLock(name = "nightly")
        public void run() {}
    }

    static class NightlyWithoutWait {
        @Scheduled(cron = "0 0 3 * * *")
        @DistributedLock(maxWaitMs = 0)
        public void run() {}
    }

    @Test
    void warnsOnceAboutAMethodThatWaits(CapturedOutput output) {
        assertWarns(
                output,
                Nightly.class,
                "is @Scheduled and waits up to 5s for lock 'nightly': " + EVERY_INSTANCE,
                "annotate it with @ScheduledLock(name = \"nightly\", minHoldMs = …) instead");
    }

    static class NightlyOrSkipped {
        @Scheduled(cron = "0 0 3 * * *")
        @DistributedLock(maxWaitMs = 0, ifContended = IfContended.SKIP)
        public void run() {}
    }

    static class NightlyOrElse {
        @Scheduled(cron = "0 0 3 * * *")
        @DistributedLock(maxWaitMs = 0, fallbackMethod = "otherwise")
        public void run() {}

        void otherwise() {}
    }

    /** Each instance but one would log an error per tick. */
    @Test
    void warnsAboutAMethodThatThrowsWhileAnotherInstanceRunsIt(CapturedOutput output) {
        assertWarns(
                output,
                NightlyWithoutWait.class,
                "is @Scheduled and throws while another instance has lock 'NightlyWithoutWait.run'",
                "or set ifContended = IfContended.SKIP");
    }

    @Test
    void doesNotWarnAboutAMethodThatIsSkipped(CapturedOutput output) {
        assertSilent(output, NightlyOrSkipped.class);
        assertSilent(output, NightlyOrElse.class);
    }

    static class KeptWhileAllWait {
        @Scheduled(cron = "0 0 3 * * *")
        @DistributedLock(name = "nightly", minHoldMs = 5000, ifContended = IfContended.SKIP)
        public void run() {}
    }

    @Test
    void warnsWhenAllInstancesWaitForTheMinimumHold(CapturedOutput output) {
        assertWarns(output, KeptWhileAllWait.class, "waits up to 5s for lock 'nightly': " + EVERY_INSTANCE);
        assertSilent(output, KeptWhileAllWait.class, "distributed-lock.max-wait=0");
    }

    static class WithoutMinimumHold {
        @Scheduled(cron = "0 0 3 * * *")
        @ScheduledLock(name = "nightly")
        public void run() {}
    }

    static class WithoutNeedOfIt {
        @Scheduled(cron = "0 0 3 * * *")
        @ScheduledLock(name = "nightly", minHoldMs = 0)
        public void run() {}
    }

    @Test
    void warnsWhenAnInstanceWithASlowClockCouldRunItAgain(CapturedOutput output) {
        assertWarns(
                output,
                WithoutMinimumHold.class,
                "is @ScheduledLock(name = \"nightly\") without a minimum hold: an instance whose clock is behind",
                "Set minHoldMs to more than the clocks of the instances differ");
        assertSilent(output, WithoutMinimumHold.class, "distributed-lock.locks.nightly.min-hold=30s");
        assertSilent(output, WithoutNeedOfIt.class);
    }

    static class KeptForManyTicks {
        @Scheduled(fixedRate = 1, timeUnit = TimeUnit.SECONDS)
        @ScheduledLock(name = "pulse", minHoldMs = 30_000)
        public void run() {}
    }

    static class KeptUntilTheNextTick {
        @Scheduled(fixedRate = 60_000)
        @ScheduledLock(name = "pulse", minHoldMs = 30_000)
        public void run() {}
    }

    static class KeptAfterALongRun {
        @Scheduled(fixedDelay = 1_000)
        @ScheduledLock(name = "pulse", minHoldMs = 30_000)
        public void run() {}
    }

    @Test
    void warnsWhenTheMinimumHoldOutlastsTheTimeBetweenTicks(CapturedOutput output) {
        assertWarns(
                output,
                KeptForManyTicks.class,
                "is @Scheduled every 1s, and lock 'pulse' is kept for at least 30s: the ticks in between are skipped");
        assertSilent(output, KeptUntilTheNextTick.class);
        assertSilent(output, KeptAfterALongRun.class);
    }
}
