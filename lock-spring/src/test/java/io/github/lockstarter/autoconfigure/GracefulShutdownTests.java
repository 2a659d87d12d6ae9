package io.github.lockstarter.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.github.lockstarter.LockBackendException;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockOperations;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.engine.LockEngine;
import io.github.lockstarter.engine.settings.EngineClock;
import io.github.lockstarter.engine.settings.EngineSettings;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.local.LocalLockBackend;
import io.github.lockstarter.scheduling.ScheduledLock;
import io.github.lockstarter.spi.LockBackend;
import jakarta.annotation.PreDestroy;
import java.time.Duration;
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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.context.LifecycleAutoConfiguration;
import org.springframework.boot.autoconfigure.task.TaskSchedulingAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

/**
 * An application is closed while a job runs under a lock, and another instance waits for that lock. The executors are
 * Spring's own.
 */
class GracefulShutdownTests {

    private static final String KEY = "job";

    /** Longer than the shutdown phase and than the lease. */
    private static final Duration LONG = Duration.ofMillis(2500);

    private static final Duration SHORT = Duration.ofMillis(400);

    private static final Duration LEASE = Duration.ofMillis(1200);

    private final LocalLockBackend store = new LocalLockBackend();
    private final Work work = new Work();
    private final AtomicReference<Future<?>> submitted = new AtomicReference<>();

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    LifecycleAutoConfiguration.class,
                    DistributedLockAutoConfiguration.class,
                    TaskSchedulingAutoConfiguration.class))
            .withBean(LockBackend.class, () -> store, definition -> definition.setDestroyMethodName(""))
            .withBean(Work.class, () -> work)
            .withPropertyValues(
                    "distributed-lock.lease=" + LEASE.toMillis(),
                    "distributed-lock.locks." + KEY + ".lease=" + LEASE.toMillis(),
                    "spring.task.scheduling.shutdown.await-termination-period=30s");

    /** The job, which runs for its whole time while it holds the lock. */
    static final class Work {

        private final CountDownLatch began = new CountDownLatch(1);
        private final AtomicInteger runs = new AtomicInteger();
        private final AtomicBoolean wasVirtual = new AtomicBoolean();
        private final AtomicReference<LockHandle> handle = new AtomicReference<>();
        private volatile Duration lasts = SHORT;
        private volatile boolean isUnderWay;

        void run() {
            isUnderWay = true;
            runs.incrementAndGet();
            handle.set(LockHandle.current().orElseThrow());
            began.countDown();
            long until = System.nanoTime() + lasts.toNanos();
            while (System.nanoTime() - until < 0) {
                try {
                    Thread.sleep(10); // the work of the job
                } catch (InterruptedException e) {
                    // Continues, as work that ignores interrupts does.
                }
            }
            isUnderWay = false;
        }
    }

    /** Observations of the other instance when it was granted the lock. */
    private record Granted(boolean whileTheJobRan, boolean whileTheHandleWasHeld, Duration afterTheStop) {}

    /** Closes the application while the job runs, and waits for the lock in the meantime. */
    private Granted closedWhile(
            ApplicationContextRunner runner, Duration lasts, Consumer<ConfigurableApplicationContext> start) {
        work.lasts = lasts;
        AtomicReference<Granted> granted = new AtomicReference<>();
        try (LockEngine other = new LockEngine(store, EngineSettings.DEFAULTS, List.of(), EngineClock.SYSTEM)) {
            AtomicReference<CompletableFuture<LockHandle>> waiting = new AtomicReference<>();
            AtomicReference<Long> stoppedAt = new AtomicReference<>();
            runner.run(context -> {
                assertThat(context).hasNotFailed();
                start.accept(context);
                assertThat(work.began.await(Patience.SECONDS, TimeUnit.SECONDS)).isTrue();
                stoppedAt.set(System.nanoTime());
                waiting.set(other.acquireAsync(LockRequest.of(KEY).waitingUpTo(Duration.ofSeconds(20)))
                        .thenApply(handle -> {
                            granted.set(new Granted(
                                    work.isUnderWay,
                                    work.handle.get().isHeld(),
                                    Duration.ofNanos(System.nanoTime() - stoppedAt.get())));
                            return handle;
                        }));
            });
            waiting.get().orTimeout(Patience.SECONDS, TimeUnit.SECONDS).join().release();
        }
        return granted.get();
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
            work.run();
            work.wasVirtual.set(
                    Thread.currentThread().getThreadGroup().getName().equals("VirtualThreads"));
        }
    }

    private ApplicationContextRunner scheduled() {
        return application.withUserConfiguration(Scheduling.class).withBean(Job.class);
    }

    private ApplicationContextRunner awaited() {
        return scheduled().withPropertyValues("spring.task.scheduling.shutdown.await-termination=true");
    }

    private static ApplicationContextRunner withShortPhases(ApplicationContextRunner runner) {
        return runner.withPropertyValues("spring.lifecycle.timeout-per-shutdown-phase=100ms");
    }

    @Test
    void keepsTheLockOfAnAwaitedJobUntilItEnds() {
        assertThat(closedWhile(awaited(), SHORT, GracefulShutdownTests::nothing).whileTheJobRan())
                .isFalse();
        assertThat(work.runs).as("jobs that began after the shutdown").hasValue(1);
    }

    @Test
    void renewsTheLockOfAnAwaitedJobThatOutlastsThePhaseAndTheLease() {
        Granted granted = closedWhile(withShortPhases(awaited()), LONG, GracefulShutdownTests::nothing);
        assertThat(granted.whileTheJobRan()).isFalse();
    }

    @Test
    @EnabledForJreRange(min = JRE.JAVA_21)
    void keepsTheLockOfAnAwaitedJobOnAVirtualThread() {
        ApplicationContextRunner virtual = application
                .withUserConfiguration(Scheduling.class)
                .withBean(JobAtRate.class)
                .withPropertyValues(
                        "spring.task.scheduling.shutdown.await-termination=true",
                        "spring.threads.virtual.enabled=true");
        assertThat(closedWhile(withShortPhases(virtual), LONG, GracefulShutdownTests::nothing)
                        .whileTheJobRan())
                .isFalse();
        assertThat(work.wasVirtual).isTrue();
    }

    @Test
    void keepsTheLockOfAJobThatIsNotConfiguredToBeAwaited() {
        assertThat(closedWhile(scheduled(), SHORT, GracefulShutdownTests::nothing)
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
                .failsWithin(Duration.ofSeconds(20))
                .withThrowableOfType(ExecutionException.class)
                .withCauseInstanceOf(LockLostException.class);
    }

    @Test
    void keepsTheLockOfATaskOfAPlainExecutor() {
        Granted granted = closedWhile(
                application.withBean(ExecutorService.class, Executors::newSingleThreadExecutor),
                SHORT,
                this::submitWork);
        assertThat(granted.whileTheJobRan()).isFalse();
    }

    @Test
    void leavesTheLockOfATaskThatIsNotAwaitedToItsLease() {
        Granted granted = closedWhile(
                withShortPhases(application.withBean(ExecutorService.class, Executors::newSingleThreadExecutor)),
                LONG,
                this::submitWork);
        assertThat(granted.whileTheHandleWasHeld()).isFalse();
        assertThat(granted.afterTheStop()).isGreaterThan(LEASE.dividedBy(2));
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
        Granted granted = closedWhile(
                application.withBean(ThreadOwner.class), SHORT, context -> context.getBean(ThreadOwner.class)
                        .start(context.getBean(LockOperations.class), work));
        assertThat(granted.whileTheJobRan()).isFalse();
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
    void renewsTheLockOfAThreadThatABeanWithInjectedLocksAwaits() {
        Granted granted = closedWhile(
                withShortPhases(application.withBean(LockingThreadOwner.class)),
                LONG,
                context -> context.getBean(LockingThreadOwner.class).start(work));
        assertThat(granted.whileTheJobRan()).isFalse();
    }

    /** The control: an engine that releases the locks, as {@link LockEngine#stop()} does, allows two owners. */
    @Test
    void theCheckFindsTwoOwnersWhenTheEngineReleasesTheLocks() {
        Granted granted = closedWhile(
                application.withBean(ExecutorService.class, Executors::newSingleThreadExecutor), LONG, context -> {
                    submitWork(context);
                    awaitBegin();
                    context.getBean(LockEngine.class).stop();
                });
        assertThat(granted.whileTheJobRan()).isTrue();
        assertWorkWasToldOfItsLoss();
    }

    private void awaitBegin() {
        try {
            assertThat(work.began.await(Patience.SECONDS, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void onlyReentersHeldLocksDuringTheShutdown() {
        AtomicReference<LockOperations> locks = new AtomicReference<>();
        CompletableFuture<Void> checked = new CompletableFuture<>();
        closedWhile(application.withBean(ExecutorService.class, Executors::newSingleThreadExecutor), SHORT, context -> {
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
        assertThatThrownBy(checked.orTimeout(Patience.SECONDS, TimeUnit.SECONDS)::join)
                .hasCauseInstanceOf(LockBackendException.class)
                .hasMessageContaining("Cannot acquire lock 'other'")
                .hasMessageContaining("the application is stopping");
        assertThatThrownBy(() -> locks.get().acquire(KEY))
                .isInstanceOf(LockBackendException.class)
                .hasMessageContaining("the application is stopping");
    }
}
