package io.github.lockstarter.autoconfigure;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.timeout;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.IfContended;
import io.github.lockstarter.LockBackendException;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockOperations;
import io.github.lockstarter.LockSource;
import io.github.lockstarter.LockStoreRecoveringException;
import io.github.lockstarter.LockTemplate;
import io.github.lockstarter.autoconfigure.testing.FailureReport;
import io.github.lockstarter.autoconfigure.testing.LockRunner;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.scheduling.ScheduledLock;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aop.support.AopUtils;
import org.springframework.boot.autoconfigure.task.TaskSchedulingAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

/** The annotation of scheduled methods in an application. */
@ExtendWith(OutputCaptureExtension.class)
class ScheduledLockTests {

    private final ApplicationContextRunner application = LockRunner.application(TaskSchedulingAutoConfiguration.class)
            .withPropertyValues("distributed-lock.max-wait=60s");

    @Configuration(proxyBeanMethods = false)
    @EnableScheduling
    static class Scheduling {}

    interface Job {
        void tick();

        int runs();
    }

    static class Ticking implements Job {
        private final AtomicInteger runs = new AtomicInteger();

        @Override
        @Scheduled(fixedRate = 50)
        @ScheduledLock(name = "tick", minHoldMs = 20)
        public void tick() {
            runs.incrementAndGet();
        }

        @Override
        public int runs() {
            return runs.get();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void theSchedulerCallsTheProxyWhichSkipsWithoutLogging(boolean classProxy, CapturedOutput output) {
        application
                .withUserConfiguration(Scheduling.class)
                .withPropertyValues("spring.aop.proxy-target-class=" + classProxy)
                .withBean(Job.class, Ticking::new)
                .run(context -> {
                    Job job = context.getBean(Job.class);
                    int started = output.getAll().length();
                    assertThat(AopUtils.isCglibProxy(job)).isEqualTo(classProxy);
                    await().until(() -> job.runs() > 3);
                    try (LockHandle other =
                            context.getBean(LockOperations.class).acquire("tick")) {
                        int before = job.runs();
                        await().during(300, MILLISECONDS).until(() -> job.runs() == before);
                        assertThat(other.isHeld()).isTrue();
                    }
                    int before = job.runs();
                    await().until(() -> job.runs() > before);
                    assertThat(output.getAll().substring(started))
                            .doesNotContain("WARN")
                            .doesNotContain("ERROR")
                            .doesNotContain("Exception");
                });
    }

    static class Kept {
        private int runs;

        @ScheduledLock(name = "kept", minHold = "${job.min-hold}", lease = "${job.lease}", maxHold = "${job.max-hold}")
        public void run() {
            runs++;
        }

        public int runs() {
            return runs;
        }
    }

    @Test
    void readsTheMinimumHoldFromAProperty() {
        application
                .withPropertyValues("job.min-hold=20s", "job.lease=25s", "job.max-hold=1m")
                .withBean(Kept.class)
                .run(context -> {
                    Kept kept = context.getBean(Kept.class);
                    kept.run();
                    kept.run();
                    assertThat(kept.runs()).isOne();
                });
        application
                .withPropertyValues("job.min-hold=0", "job.lease=25s", "job.max-hold=1m")
                .withBean(Kept.class)
                .run(context -> {
                    Kept kept = context.getBean(Kept.class);
                    kept.run();
                    kept.run();
                    assertThat(kept.runs()).isEqualTo(2);
                });
    }

    private void assertFails(Class<?> type, String problem, String action, String... properties) {
        FailureReport.assertThat(application.withPropertyValues(properties).withBean("subject", type))
                .startsWith("Bean 'subject': @ScheduledLock on ScheduledLockTests." + type.getSimpleName()
                        + ".run() cannot take effect: ")
                .contains(problem)
                .contains(action);
    }

    static class Unnamed {
        @ScheduledLock(name = " ", minHoldMs = 800)
        public void run() {}
    }

    @Retention(RetentionPolicy.RUNTIME)
    @ScheduledLock(name = "", minHoldMs = 800)
    @interface UnnamedJob {}

    static class UnnamedByComposition {
        @UnnamedJob
        public void run() {}
    }

    static class BlankByProperty {
        @ScheduledLock(name = "${job.name}", minHoldMs = 800)
        public void run() {}
    }

    static class Counting {
        @ScheduledLock(name = "count", minHoldMs = 800)
        public int run() {
            return 1;
        }
    }

    @Test
    void skipsTheTickAndLogsOneLineIfTheStoreIsUnreachable(CapturedOutput output) {
        LockSource source = mock();
        when(source.acquire(any()))
                .thenThrow(new LockStoreRecoveringException("tick", "the store recovers", Duration.ZERO));
        application
                .withUserConfiguration(Scheduling.class)
                .withBean(LockOperations.class, () -> new LockTemplate(source))
                .withBean(Ticking.class)
                .run(context -> {
                    verify(source, timeout(Patience.TIME.toMillis()).atLeast(3)).acquire(any());
                    assertThat(context.getBean(Ticking.class).runs()).isZero();
                });
        assertThat(output)
                .contains("WARN")
                .contains(
                        "ScheduledLockTests.Ticking.tick() did not run at this tick, since it is unknown whether another "
                                + "instance runs it: the store recovers")
                .doesNotContain("ERROR", "LockStoreRecoveringException");
    }

    static class Unscheduled {
        @DistributedLock(name = "unscheduled", maxWaitMs = 0, ifContended = IfContended.SKIP)
        public void run() {}
    }

    @Test
    void throwsToCallersOfMethodsThatAreNotScheduled() {
        LockSource source = mock();
        when(source.acquire(any())).thenThrow(new LockBackendException("unscheduled", "no connection", null));
        application
                .withBean(LockOperations.class, () -> new LockTemplate(source))
                .withBean(Unscheduled.class)
                .run(context -> assertThatThrownBy(
                                () -> context.getBean(Unscheduled.class).run())
                        .isInstanceOf(LockBackendException.class));
    }

    static class LongerThanTheLease {
        @ScheduledLock(name = "long", minHoldMs = 30_001)
        public void run() {}
    }

    static class LongerThanItsLease {
        @ScheduledLock(name = "long", minHoldMs = 900, lease = "${job.lease}")
        public void run() {}
    }

    static class NegativeMinimumHold {
        @ScheduledLock(name = "negative", minHoldMs = -2)
        public void run() {}
    }

    static class ShortHold {
        @ScheduledLock(name = "short", minHoldMs = 800, maxHold = "29s")
        public void run() {}
    }

    static class Unresolved {
        @ScheduledLock(name = "unresolved", minHold = "${job.min-hold}")
        public void run() {}
    }

    @Test
    void startFailsWithTheExpectedFormat() {
        String named = "Name the job, with letters, digits, '.', '_' and '-', such as @ScheduledLock(name = "
                + "\"nightly-report\", minHoldMs = 30000) or @LeaderOnly(\"billing\").";
        assertFails(Unnamed.class, "it has no name.", named);
        assertFails(BlankByProperty.class, "the name '' (of '${job.name}')", "Rename it", "job.name=");
        assertFails(
                Counting.class,
                "with ifContended = SKIP a skipped call has no result, and the method returns int.",
                "Return a type that can be empty, such as an Optional");
        assertFails(
                LongerThanTheLease.class,
                "minHold of lock 'long' is 30.001s, above the lease of the lock (30s).",
                "Lower the minimum hold, or raise the lease; for minutes, store the time of the last run, or the end of a "
                        + "reservation, with the data: a lock is no reservation.");
        assertFails(
                LongerThanItsLease.class,
                "minHold of lock 'long' is 900ms, above the lease of the lock (800ms).",
                "Lower the minimum hold, or raise the lease; for minutes, store",
                "job.lease=800ms");
        assertFails(
                NegativeMinimumHold.class,
                "minHold of lock 'negative' is -2ms; it must be between 1ms and 365d, or 0 to have none.",
                "Correct leaseMs, maxWaitMs, minHoldMs, maxHoldMs or permits");
        assertFails(
                ShortHold.class,
                "maxHold of lock 'short' is 29s, below the lease of the lock (30s)",
                "Raise the maximum hold, or lower the lease.");
        assertFails(
                Unresolved.class,
                "minHold = \"${job.min-hold}\" cannot be resolved: ",
                "Set the property, or give a default behind a colon, such as ${job.lease:30s}.");
        FailureReport.assertThat(application.withBean("subject", UnnamedByComposition.class))
                .startsWith("Bean 'subject': @UnnamedJob on ")
                .contains("it has no name.");
    }

    static class Both {
        @ScheduledLock(name = "job", minHoldMs = 800)
        @DistributedLock(name = "job")
        public void run() {}
    }

    @Test
    void startFailsForTwoLockAnnotations() {
        FailureReport.assertThat(application.withBean("subject", Both.class))
                .contains("ScheduledLockTests.Both.run() cannot take effect: it has @DistributedLock and "
                        + "@ScheduledLock")
                .contains("Remove one of them");
    }
}
