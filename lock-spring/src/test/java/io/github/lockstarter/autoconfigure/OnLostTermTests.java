package io.github.lockstarter.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.LockAdmin;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.OnLost;
import io.github.lockstarter.autoconfigure.testing.RevokingOperator;
import io.github.lockstarter.scheduling.ScheduledLock;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;

/** Where the behaviour at a loss is set: annotation, name, all locks. An operator takes the lock away. */
@Timeout(300)
class OnLostTermTests {

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(DistributedLockAutoConfiguration.class))
            .withBean(Jobs.class)
            .withPropertyValues("distributed-lock.backend=local");

    /** Each call loses its lock, and then blocks. */
    static class Jobs {

        @DistributedLock(name = "interrupted", onLost = OnLost.INTERRUPT)
        public void interrupted(ApplicationContext context) throws InterruptedException {
            loseAndBlock(context);
        }

        @ScheduledLock(name = "scheduled", minHoldMs = 0, onLost = OnLost.INTERRUPT)
        public void scheduled(ApplicationContext context) throws InterruptedException {
            loseAndBlock(context);
        }

        @DistributedLock(name = "configured")
        public void configured(ApplicationContext context) throws InterruptedException {
            loseAndBlock(context);
        }

        @DistributedLock(name = "returned", onLost = OnLost.RETURN)
        public String returned(ApplicationContext context) {
            lose(context);
            return "done";
        }

        @DistributedLock(name = "thrown", onLost = OnLost.THROW)
        public String thrown(ApplicationContext context) {
            lose(context);
            return "done";
        }

        private static void lose(ApplicationContext context) {
            RevokingOperator.revoke(context, LockHandle.current().orElseThrow().key());
        }

        private static void loseAndBlock(ApplicationContext context) throws InterruptedException {
            LockHandle lock = LockHandle.current().orElseThrow();
            context.getBean(LockAdmin.class).revoke(lock.key(), lock.fencingToken());
            TimeUnit.HOURS.sleep(1); // the wrong outcome
        }
    }

    @FunctionalInterface
    private interface Call {

        void on(Jobs jobs, ApplicationContext context) throws Exception;
    }

    private static void assertInterrupted(ApplicationContextRunner application, Call call) {
        application.run(context -> {
            assertThatThrownBy(() -> call.on(context.getBean(Jobs.class), context))
                    .isInstanceOf(LockLostException.class)
                    .satisfies(loss ->
                            assertThat(loss.getSuppressed()).singleElement().isInstanceOf(InterruptedException.class));
            assertThat(Thread.currentThread().isInterrupted()).isFalse();
        });
    }

    @Test
    void theAnnotationInterrupts() {
        assertInterrupted(application, Jobs::interrupted);
        assertInterrupted(application, Jobs::scheduled);
    }

    @ParameterizedTest
    @ValueSource(strings = {"on-lost", "locks.configured.on-lost"})
    void thePropertyInterrupts(String property) {
        assertInterrupted(
                application.withPropertyValues("distributed-lock." + property + "=interrupt"), Jobs::configured);
    }

    @Test
    void theNameTakesPrecedenceOverAllLocks() {
        assertInterrupted(
                application.withPropertyValues(
                        "distributed-lock.on-lost=return", "distributed-lock.locks.configured.on-lost=interrupt"),
                Jobs::configured);
    }

    @ParameterizedTest
    @ValueSource(strings = {"throw", "return", "interrupt"})
    void theAnnotationTakesPrecedenceOverProperties(String configured) {
        application
                .withPropertyValues(
                        "distributed-lock.on-lost=" + configured,
                        "distributed-lock.locks.returned.on-lost=" + configured,
                        "distributed-lock.locks.thrown.on-lost=" + configured)
                .run(context -> {
                    Jobs jobs = context.getBean(Jobs.class);
                    assertThat(jobs.returned(context)).isEqualTo("done");
                    assertThatThrownBy(() -> jobs.thrown(context))
                            .isInstanceOf(LockLostException.class)
                            .hasNoSuppressedExceptions();
                });
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAsync
    static class Background {

        @Bean
        BackgroundJob job() {
            return new BackgroundJob();
        }
    }

    static class BackgroundJob {

        @Async
        @DistributedLock(name = "background", onLost = OnLost.INTERRUPT)
        public CompletableFuture<String> run(CompletableFuture<String> work) {
            return work;
        }
    }

    /** Its thread waits for the future, which is cancelled. */
    @Test
    void cancelsTheFutureForWhichAThreadWaits() {
        application.withUserConfiguration(Background.class).run(context -> {
            CompletableFuture<String> work = new CompletableFuture<>();
            CompletableFuture<String> result =
                    context.getBean(BackgroundJob.class).run(work);
            await().until(() -> work.getNumberOfDependents() > 0);
            RevokingOperator.revoke(context, "background");
            assertThatThrownBy(result::join)
                    .isInstanceOf(CompletionException.class)
                    .hasCauseInstanceOf(LockLostException.class);
            assertThat(work).isCancelled();
        });
    }
}
