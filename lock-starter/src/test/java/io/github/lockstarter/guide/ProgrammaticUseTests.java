package io.github.lockstarter.guide;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.Execution;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockOperations;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.autoconfigure.DistributedLockAutoConfiguration;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Schedulers;

/** The recipes of docs/guide/programmatic-use.md. */
class ProgrammaticUseTests {

    private static final String KEY = "report:daily";
    private static final Duration SOON = Duration.ofSeconds(10);

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(DistributedLockAutoConfiguration.class))
            .withPropertyValues("distributed-lock.backend=local", "distributed-lock.wait=0");

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

    // A method that returns a CompletableFuture

    private static <T> CompletableFuture<T> locked(
            LockOperations locks, String key, Supplier<CompletableFuture<T>> work, Executor executor) {
        return locks.acquireAsync(key).thenCompose(lock -> CompletableFuture.completedFuture(lock)
                .thenCompose(held -> work.get()) // an exception of get() itself releases the lock, too
                .handleAsync(
                        (result, failure) -> {
                            if (failure != null) {
                                lock.release();
                                throw new CompletionException(failure);
                            }
                            lock.close(); // throws LockLostException if the lock was lost meanwhile
                            return result;
                        },
                        executor));
    }

    @Test
    void holdsTheLockUntilTheFutureCompletes() {
        withLocks(locks -> {
            CompletableFuture<String> work = new CompletableFuture<>();
            CompletableFuture<String> result = locked(locks, KEY, () -> work, ForkJoinPool.commonPool());

            assertThat(locks.tryAcquire(KEY)).isEmpty();
            work.complete("done");
            assertThat(result).succeedsWithin(SOON).isEqualTo("done");
            assertThat(locks.heldLocks().size()).isZero();
        });
    }

    @Test
    void releasesTheLockWhenTheFutureFails() {
        withLocks(locks -> {
            CompletableFuture<String> result = locked(
                    locks,
                    KEY,
                    () -> CompletableFuture.failedFuture(new IllegalStateException("no paper")),
                    ForkJoinPool.commonPool());

            assertThatThrownBy(() -> result.get(SOON.toSeconds(), TimeUnit.SECONDS))
                    .hasRootCauseMessage("no paper");
            assertThat(locks.heldLocks().size()).isZero();
        });
    }

    // A method that returns a Mono

    private static <T> Mono<T> locked(LockOperations locks, String key, Mono<T> work) {
        Mono<LockHandle> granted = Mono.fromFuture(() -> locks.acquireAsync(key))
                .doOnDiscard(
                        LockHandle.class, lock -> Schedulers.boundedElastic().schedule(lock::close));
        return Mono.usingWhen(
                granted, lock -> work, lock -> Mono.fromRunnable(lock::close).subscribeOn(Schedulers.boundedElastic()));
    }

    @Test
    void holdsTheLockUntilTheMonoCompletes() {
        withLocks(locks -> {
            Sinks.One<String> work = Sinks.one();
            CompletableFuture<String> result = locked(locks, KEY, work.asMono()).toFuture();
            await().atMost(SOON).until(() -> work.currentSubscriberCount() == 1);
            assertThat(locks.tryAcquire(KEY)).isEmpty();

            work.tryEmitValue("done").orThrow();
            assertThat(result).succeedsWithin(SOON).isEqualTo("done");
            assertThat(locks.heldLocks().size()).isZero();
        });
    }

    @Test
    void releasesTheLockWhenTheSubscriberCancels() {
        withLocks(locks -> {
            Disposable subscription = locked(locks, KEY, Mono.never()).subscribe();
            assertThat(locks.tryAcquire(KEY)).isEmpty();

            subscription.dispose();
            await().atMost(SOON)
                    .untilAsserted(() -> assertThat(locks.heldLocks().size()).isZero());
        });
    }

    /** A grant that comes while the subscriber cancels reaches no operator. */
    @Test
    void releasesTheLockWhenTheSubscriberCancelsAtTheGrant() {
        withLocks(locks -> {
            for (int attempt = 0; attempt < 2_000; attempt++) {
                Disposable subscription =
                        locked(locks, "order:" + attempt, Mono.never()).subscribe();
                long later = System.nanoTime() + attempt * 100L; // up to 0.2 ms
                while (System.nanoTime() < later) {
                    Thread.onSpinWait();
                }
                subscription.dispose();
            }
            await().atMost(SOON)
                    .untilAsserted(() -> assertThat(locks.heldLocks().size()).isZero());
        });
    }
}
