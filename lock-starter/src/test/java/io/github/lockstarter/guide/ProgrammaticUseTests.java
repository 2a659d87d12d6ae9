package io.github.lockstarter.guide;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.Execution;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockOperations;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.autoconfigure.DistributedLockAutoConfiguration;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.reactive.ReactiveLockOperations;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** The recipes of docs/using-locks.md and docs/transactions-and-async.md. */
class ProgrammaticUseTests {

    private static final String KEY = "report:daily";

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(DistributedLockAutoConfiguration.class))
            .withPropertyValues("distributed-lock.backend=local", "distributed-lock.max-wait=0");

    private void withLocks(Consumer<LockOperations> test) {
        application.run(context -> test.accept(context.getBean(LockOperations.class)));
    }

    // Skip if the lock is held

    private static String runUnlessRunning(LockOperations locks, Supplier<String> report) {
        Execution<String> execution = locks.tryExecute(LockRequest.of(KEY).named("report"), report::get);
        return execution.orElseGet(() -> "skipped");
    }

    @Test
    void skipsWorkWhoseLockIsHeld() {
        withLocks(locks -> {
            CompletableFuture<LockHandle> other = locks.acquireAsync(KEY);
            assertThat(runUnlessRunning(locks, () -> "done")).isEqualTo("skipped");
            other.join().release();
            assertThat(runUnlessRunning(locks, () -> "done")).isEqualTo("done");
        });
    }

    // Work that ends with a CompletableFuture

    @Test
    void holdsTheLockUntilTheFutureCompletes() {
        withLocks(locks -> {
            CompletableFuture<String> work = new CompletableFuture<>();
            CompletableFuture<String> result = locks.executeAsync(KEY, () -> work);

            assertThat(locks.tryAcquire(KEY)).isEmpty();
            work.complete("done");
            assertThat(result).succeedsWithin(Patience.TIME).isEqualTo("done");
            assertThat(locks.heldLocks().size()).isZero();
        });
    }

    @Test
    void releasesTheLockWhenTheFutureFails() {
        withLocks(locks -> {
            CompletableFuture<String> result = locks.executeAsync(
                    KEY, () -> CompletableFuture.failedFuture(new IllegalStateException("no paper")));

            assertThatThrownBy(() -> result.get(Patience.SECONDS, TimeUnit.SECONDS))
                    .hasRootCauseMessage("no paper");
            assertThat(locks.heldLocks().size()).isZero();
        });
    }

    // Work that ends with a Mono

    private void withReactiveLocks(BiConsumer<ReactiveLockOperations, LockOperations> test) {
        application.run(context ->
                test.accept(context.getBean(ReactiveLockOperations.class), context.getBean(LockOperations.class)));
    }

    @Test
    void holdsTheLockUntilTheMonoCompletes() {
        withReactiveLocks((reactiveLocks, locks) -> {
            Sinks.One<String> work = Sinks.one();
            CompletableFuture<String> result =
                    reactiveLocks.execute(KEY, work.asMono()).toFuture();
            await().atMost(Patience.TIME).until(() -> work.currentSubscriberCount() == 1);
            assertThat(locks.tryAcquire(KEY)).isEmpty();

            work.tryEmitValue("done").orThrow();
            assertThat(result).succeedsWithin(Patience.TIME).isEqualTo("done");
            assertThat(locks.heldLocks().size()).isZero();
        });
    }

    @Test
    void skipsAMonoWhoseLockIsHeld() {
        withReactiveLocks((reactiveLocks, locks) -> {
            Mono<Execution<String>> report = reactiveLocks.tryExecute(KEY, Mono.just("done"));
            LockHandle other = locks.acquireAsync(KEY).join();
            assertThat(report.block(Patience.TIME).wasExecuted()).isFalse();
            other.release();
            assertThat(report.block(Patience.TIME)).isEqualTo(new Execution.Executed<>("done"));
            assertThat(reactiveLocks.tryExecute(KEY, Mono.empty()).block(Patience.TIME))
                    .isEqualTo(new Execution.Executed<>(null));
        });
    }

    @Test
    void releasesTheLockWhenTheSubscriberCancels() {
        withReactiveLocks((reactiveLocks, locks) -> {
            Disposable subscription = reactiveLocks.execute(KEY, Mono.never()).subscribe();
            assertThat(locks.tryAcquire(KEY)).isEmpty();

            subscription.dispose();
            await().atMost(Patience.TIME)
                    .untilAsserted(() -> assertThat(locks.heldLocks().size()).isZero());
        });
    }
}
