package io.github.lockstarter.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.github.lockstarter.LockBackendException;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockOperations;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.contract.RecordingBackend;
import io.github.lockstarter.contract.RecordingBackend.Verb;
import io.github.lockstarter.engine.LockEngine;
import io.github.lockstarter.engine.settings.EngineClock;
import io.github.lockstarter.engine.settings.EngineSettings;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.local.LocalLockBackend;
import io.github.lockstarter.scheduling.ScheduledLock;
import io.github.lockstarter.spi.LockBackend;
import io.github.lockstarter.testing.Effort;
import jakarta.annotation.PreDestroy;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.context.LifecycleAutoConfiguration;
import org.springframework.boot.autoconfigure.task.TaskSchedulingAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationListener;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor;

/**
 * An application is closed while a job runs under a lock, and another instance waits for that lock. The executors are
 * Spring's own. The job ends when the test has seen what it is to see.
 */
@ExtendWith(OutputCaptureExtension.class)
class GracefulShutdownTests {

    private static final String KEY = "job";

    /** Part of the warning when the engine ends before the work under its locks. */
    private static final String LEFT_TO_LEASES = "held at the end of the shutdown and renewed no more";

    private final LocalLockBackend store = new LocalLockBackend();
    private final RecordingBackend commands = new RecordingBackend(store);
    private final Shutdown shutdown = new Shutdown();
    private final Work work = new Work();
    private final CompletableFuture<Granted> granted = new CompletableFuture<>();
    private final AtomicReference<Future<?>> submitted = new AtomicReference<>();

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    LifecycleAutoConfiguration.class,
                    DistributedLockAutoConfiguration.class,
                    TaskSchedulingAutoConfiguration.class))
            .withBean(LockBackend.class, () -> commands, definition -> definition.setDestroyMethodName(""))
            .withBean(Shutdown.class, () -> shutdown)
            .withBean(Work.class, () -> work)
            .withPropertyValues(
                    "distributed-lock.lease=60s", "spring.task.scheduling.shutdown.await-termination-period=2m");

    @AfterEach
    void close() {
        store.close();
    }

    /** Stops in the first phase and in one behind that of the engine. */
    static final class Shutdown implements SmartLifecycle, ApplicationListener<ContextClosedEvent> {

        private final CompletableFuture<Void> began = new CompletableFuture<>();
        private final CompletableFuture<Void> enginesPhaseIsOver = new CompletableFuture<>();

        @Override
        public void onApplicationEvent(ContextClosedEvent event) {
            began.complete(null);
        }

        @Override
        public void start() {}

        @Override
        public void stop() {
            enginesPhaseIsOver.complete(null);
        }

        @Override
        public boolean isRunning() {
            return !enginesPhaseIsOver.isDone();
        }

        @Override
        public int getPhase() {
            return LockEngineLifecycle.PHASE - 1;
        }
    }

    /** The job, which runs under its lock for a moment longer than {@link #lasts}, as work that ignores interrupts. */
    static final class Work {

        private final CountDownLatch began = new CountDownLatch(1);
        private final AtomicInteger runs = new AtomicInteger();
        private final AtomicBoolean wasVirtual = new AtomicBoolean();
        private final AtomicReference<LockHandle> handle = new AtomicReference<>();
        private volatile CompletableFuture<?> lasts = new CompletableFuture<>();
        private volatile boolean underWay;

        void run() {
            underWay = true;
            runs.incrementAndGet();
            handle.set(LockHandle.current().orElseThrow());
            began.countDown();
            lasts.thenRunAsync(
                            () -> underWay = false,
                            CompletableFuture.delayedExecutor(Patience.MOMENT_MILLIS, TimeUnit.MILLISECONDS))
                    .join();
        }

        void awaitBegin() {
            try {
                assertThat(began.await(Patience.SECONDS, TimeUnit.SECONDS)).isTrue();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    /** Observations of the other instance when it was granted the lock. */
    private record Granted(boolean whileTheJobRan, boolean whileTheHandleWasHeld, boolean afterARelease) {}

    /** Closes the application while the job runs, and waits for the lock in the meantime. */
    private Granted closedWhile(
            ApplicationContextRunner runner,
            CompletableFuture<?> lasts,
            Consumer<ConfigurableApplicationContext> start) {
        work.lasts = lasts;
        try (LockEngine other = new LockEngine(store, EngineSettings.DEFAULTS, List.of(), EngineClock.SYSTEM)) {
            AtomicReference<CompletableFuture<LockHandle>> waiting = new AtomicReference<>();
            runner.run(context -> {
                assertThat(context).hasNotFailed();
                start.accept(context);
                work.awaitBegin();
                waiting.set(other.acquireAsync(LockRequest.of(KEY).maxWait(Patience.TIME))
                        .thenApply(handle -> {
                            granted.complete(new Granted(
                                    work.underWay, work.handle.get().isHeld(), commands.count(Verb.RELEASE, KEY) > 0));
                            return handle;
                        }));
            });
            waiting.get().join().release();
        }
        return granted.join();
    }

    private static void nothing(ConfigurableApplicationContext context) {}

    @Configuration(proxyBeanMethods = false)
    @EnableScheduling
    static class Scheduling {}

    static class Job {

        private final Work work;

        Job(Work work) {
            this.work = work;
        }

        @Scheduled(fixedDelay = 1)
        @ScheduledLock(name = KEY)
        public void run() {
            work.run();
        }
    }

    /** Spring runs a fixed delay on a platform thread that it does not await, even if virtual threads are enabled. */
    static class JobAtRate {

        private final Work work;

        JobAtRate(Work work) {
            this.work = work;
        }

        @Scheduled(fixedRate = 60_000)
        @ScheduledLock(name = KEY)
        public void run() {
            work.wasVirtual.set(
                    Thread.currentThread().getThreadGroup().getName().equals("VirtualThreads"));
            work.run();
        }
    }

    private ApplicationContextRunner scheduled() {
        return application.withUserConfiguration(Scheduling.class).withBean(Job.class);
    }

    private ApplicationContextRunner awaited() {
        return scheduled().withPropertyValues("spring.task.scheduling.shutdown.await-termination=true");
    }

    private static ApplicationContextRunner withLease(String lease, ApplicationContextRunner runner) {
        return runner.withPropertyValues(
                "distributed-lock.lease=" + lease, "distributed-lock.locks." + KEY + ".lease=" + lease);
    }

    private static ApplicationContextRunner withShortPhases(ApplicationContextRunner runner) {
        return runner.withPropertyValues("spring.lifecycle.timeout-per-shutdown-phase=100ms");
    }

    @Test
    void keepsTheLockOfAnAwaitedJobUntilItEnds() {
        assertThat(closedWhile(awaited(), shutdown.began, GracefulShutdownTests::nothing)
                        .whileTheJobRan())
                .isFalse();
        assertThat(work.runs).as("jobs that began after the shutdown").hasValue(1);
    }

    @Test
    void renewsTheLockOfAnAwaitedJobThatOutlastsThePhase(CapturedOutput output) {
        Granted next =
                closedWhile(withShortPhases(awaited()), shutdown.enginesPhaseIsOver, GracefulShutdownTests::nothing);
        assertThat(next.whileTheJobRan()).isFalse();
        assertThat(output).doesNotContain(LEFT_TO_LEASES);
    }

    /** A pause of this machine ends the lease, too. */
    @Test
    @Tag(Effort.TIMING)
    void renewsTheLockOfAnAwaitedJobThatOutlastsTheLease() {
        CompletableFuture<?> severalLeases = shutdown.enginesPhaseIsOver.thenRunAsync(
                () -> {}, CompletableFuture.delayedExecutor(2_500, TimeUnit.MILLISECONDS));
        Granted next = closedWhile(
                withShortPhases(withLease("1200ms", awaited())), severalLeases, GracefulShutdownTests::nothing);
        assertThat(next.whileTheJobRan()).isFalse();
    }

    @Test
    @EnabledForJreRange(min = JRE.JAVA_21)
    void keepsTheLockOfAnAwaitedJobOnAVirtualThread(CapturedOutput output) {
        ApplicationContextRunner virtual = application
                .withUserConfiguration(Scheduling.class)
                .withBean(JobAtRate.class)
                .withPropertyValues(
                        "spring.task.scheduling.shutdown.await-termination=true",
                        "spring.threads.virtual.enabled=true");
        assertThat(closedWhile(withShortPhases(virtual), shutdown.enginesPhaseIsOver, GracefulShutdownTests::nothing)
                        .whileTheJobRan())
                .isFalse();
        assertThat(output).doesNotContain(LEFT_TO_LEASES);
        assertThat(work.wasVirtual).isTrue();
    }

    @Test
    void keepsTheLockOfAJobThatIsNotConfiguredToBeAwaited() {
        assertThat(closedWhile(scheduled(), shutdown.began, GracefulShutdownTests::nothing)
                        .whileTheJobRan())
                .isFalse();
    }

    private void submitWork(ConfigurableApplicationContext context) {
        LockOperations locks = context.getBean(LockOperations.class);
        submitted.set(context.getBean(ExecutorService.class).submit(() -> locks.execute(KEY, work::run)));
    }

    /** Also keeps the loss from ending a thread of its own, which another test's Awaitility would report. */
    private void assertWorkWasToldOfItsLoss() {
        assertThat(submitted.get())
                .failsWithin(Patience.TIME)
                .withThrowableOfType(ExecutionException.class)
                .withCauseInstanceOf(LockLostException.class);
    }

    private ApplicationContextRunner withPlainExecutor() {
        return application.withBean(ExecutorService.class, Executors::newSingleThreadExecutor);
    }

    @Test
    void keepsTheLockOfATaskOfAPlainExecutor() {
        Granted next = closedWhile(withPlainExecutor(), shutdown.began, this::submitWork);
        assertThat(next.whileTheJobRan()).isFalse();
    }

    /** The executor is made before the engine, and does not inject the locks. */
    @Test
    void renewsTheLockOfATaskOfAnAwaitedExecutor(CapturedOutput output) {
        ThreadPoolTaskExecutor awaited = new ThreadPoolTaskExecutor();
        awaited.setWaitForTasksToCompleteOnShutdown(true);
        awaited.setAwaitTerminationSeconds((int) Patience.SECONDS);
        Granted next = closedWhile(
                withShortPhases(application.withBean(ThreadPoolTaskExecutor.class, () -> awaited)),
                shutdown.enginesPhaseIsOver,
                context -> awaited.submit(
                        () -> context.getBean(LockOperations.class).execute(KEY, work::run)));
        assertThat(next.whileTheJobRan()).isFalse();
        assertThat(output).doesNotContain(LEFT_TO_LEASES);
    }

    /** The lease is longer than a pause of this machine before the shutdown. */
    @Test
    void leavesTheLockOfATaskThatIsNotAwaitedToItsLease(CapturedOutput output) {
        Granted next = closedWhile(withShortPhases(withLease("8s", withPlainExecutor())), granted, this::submitWork);
        assertThat(next.whileTheHandleWasHeld()).isFalse();
        assertThat(next.afterARelease()).isFalse();
        assertThat(output).contains(LEFT_TO_LEASES);
        assertWorkWasToldOfItsLoss();
    }

    /** Waits for its thread when it is destroyed. It is made before the engine, and not injected with its locks. */
    static class ThreadOwner {

        private final CompletableFuture<Void> ended = new CompletableFuture<>();

        void start(LockOperations locks, Work work) {
            ended.completeAsync(
                    () -> {
                        locks.execute(KEY, work::run);
                        return null;
                    },
                    task -> new Thread(task).start());
        }

        @PreDestroy
        void join() {
            ended.join();
        }
    }

    @Test
    void keepsTheLockOfAThreadThatABeanAwaitsWhenItIsDestroyed() {
        Granted next = closedWhile(
                application.withBean(ThreadOwner.class), shutdown.began, context -> context.getBean(ThreadOwner.class)
                        .start(context.getBean(LockOperations.class), work));
        assertThat(next.whileTheJobRan()).isFalse();
    }

    /** As an application has it that injects the locks. */
    static class LockingThreadOwner extends ThreadOwner {

        private final LockOperations locks;

        LockingThreadOwner(LockOperations locks) {
            this.locks = locks;
        }

        void start(Work work) {
            start(locks, work);
        }
    }

    @Test
    void renewsTheLockOfAThreadThatABeanWithInjectedLocksAwaits(CapturedOutput output) {
        Granted next = closedWhile(
                withShortPhases(application.withBean(LockingThreadOwner.class)),
                shutdown.enginesPhaseIsOver,
                context -> context.getBean(LockingThreadOwner.class).start(work));
        assertThat(next.whileTheJobRan()).isFalse();
        assertThat(output).doesNotContain(LEFT_TO_LEASES);
    }

    /** It would wait for itself, for the time of a phase and then for the lease. */
    @Test
    void theThreadThatClosesTheApplicationLosesItsLock(CapturedOutput output) {
        withLease("65s", application)
                .withPropertyValues("distributed-lock.max-lease=65s", "spring.lifecycle.timeout-per-shutdown-phase=65s")
                .run(context -> {
                    LockOperations locks = context.getBean(LockOperations.class);
                    CompletableFuture<Void> job = CompletableFuture.runAsync(
                            () -> locks.execute(KEY, () -> locks.execute(KEY, context::close)));
                    assertThat(job)
                            .failsWithin(Patience.TIME)
                            .withThrowableThat()
                            .withCauseInstanceOf(LockLostException.class);
                });
        assertThat(output).contains("Lost lock").contains("SHUTDOWN").doesNotContain(LEFT_TO_LEASES);
        try (LockEngine other = new LockEngine(store, EngineSettings.DEFAULTS, List.of(), EngineClock.SYSTEM)) {
            assertThat(other.tryAcquire(LockRequest.of(KEY))).isPresent();
        }
    }

    /** The control: an engine that releases the locks, as {@link LockEngine#stop()} does, allows two owners. */
    @Test
    void theCheckFindsTwoOwnersWhenTheEngineReleasesTheLocks() {
        Granted next = closedWhile(withPlainExecutor(), granted, context -> {
            submitWork(context);
            work.awaitBegin();
            context.getBean(LockEngine.class).stop();
        });
        assertThat(next.whileTheJobRan()).isTrue();
        assertThat(next.afterARelease()).isTrue();
        assertWorkWasToldOfItsLoss();
    }

    @Test
    void onlyReentersHeldLocksDuringTheShutdown() {
        AtomicReference<LockOperations> locks = new AtomicReference<>();
        CompletableFuture<Void> checked = new CompletableFuture<>();
        closedWhile(withPlainExecutor(), shutdown.began, context -> {
            locks.set(context.getBean(LockOperations.class));
            submitted.set(context.getBean(ExecutorService.class)
                    .submit(() -> locks.get().execute(KEY, () -> {
                        work.run(); // the shutdown starts meanwhile
                        locks.get()
                                .execute(
                                        KEY,
                                        () -> checked.completeExceptionally(
                                                catchThrowable(() -> locks.get().acquire("other"))));
                    })));
        });
        assertThat(submitted.get()).succeedsWithin(Patience.TIME);
        assertThatThrownBy(checked::join)
                .hasCauseInstanceOf(LockBackendException.class)
                .hasMessageContaining("Cannot acquire lock 'other'")
                .hasMessageContaining("the application is stopping");
        assertThatThrownBy(() -> locks.get().acquire(KEY))
                .isInstanceOf(LockBackendException.class)
                .hasMessageContaining("the application is stopping");
    }
}
