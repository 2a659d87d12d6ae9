package io.github.lockstarter.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.Execution;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockOperations;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.reactive.ReactiveLockOperations;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** Work that ends with a publisher, through the bean; a stage is the subject of {@code ExecuteAsyncTests}. */
class ReactiveLockOperationsTests {

    private static final String KEY = "report:daily";

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(DistributedLockAutoConfiguration.class))
            .withPropertyValues("distributed-lock.backend=local", "distributed-lock.max-wait=0");

    private void withLocks(BiConsumer<ReactiveLockOperations, LockOperations> test) {
        application.run(context ->
                test.accept(context.getBean(ReactiveLockOperations.class), context.getBean(LockOperations.class)));
    }

    @Test
    void holdsTheLockUntilTheMonoCompletes() {
        withLocks((reactiveLocks, locks) -> {
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
        withLocks((reactiveLocks, locks) -> {
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
        withLocks((reactiveLocks, locks) -> {
            Disposable subscription = reactiveLocks.execute(KEY, Mono.never()).subscribe();
            assertThat(locks.tryAcquire(KEY)).isEmpty();

            subscription.dispose();
            await().atMost(Patience.TIME)
                    .untilAsserted(() -> assertThat(locks.heldLocks().size()).isZero());
        });
    }
}
