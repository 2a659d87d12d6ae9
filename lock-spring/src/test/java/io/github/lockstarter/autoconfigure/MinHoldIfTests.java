package io.github.lockstarter.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.InTransaction;
import io.github.lockstarter.LockAdmin;
import io.github.lockstarter.LockAdmin.StoredLock;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockOperations;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.MinHoldIf;
import io.github.lockstarter.autoconfigure.testing.FailureReport;
import io.github.lockstarter.autoconfigure.testing.LockRunner;
import io.github.lockstarter.scheduling.ScheduledLock;
import io.github.lockstarter.transaction.TransactionLocks;
import io.github.lockstarter.transaction.testing.H2Bank;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.resilience.annotation.Retryable;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** Locks that are kept for their minimum hold only after success, in each shape of a method. */
@SuppressWarnings("unused")
class MinHoldIfTests {

    private static final String KEY = "submit";
    private static final LockRequest REQUEST =
            LockRequest.of(KEY).minHold(Duration.ofSeconds(20)).minHoldIf(MinHoldIf.SUCCESS);

    private final ApplicationContextRunner application = LockRunner.application()
            .withUserConfiguration(Advices.class)
            .withBean(Orders.class)
            .withPropertyValues("distributed-lock.max-wait=0");

    @Configuration(proxyBeanMethods = false)
    @EnableAsync
    @EnableTransactionManagement
    @EnableResilientMethods
    @Import(H2Bank.class)
    static class Advices {

        /** The caller's thread, so that the lock is released before the call returns. */
        @Bean
        Executor taskExecutor() {
            return Runnable::run;
        }
    }

    static class Orders {

        private int attempts;

        @DistributedLock(name = KEY, minHold = "20s", minHoldIf = MinHoldIf.SUCCESS)
        public void submit(Runnable body) {
            body.run();
        }

        @DistributedLock(name = KEY, minHold = "20s", minHoldIf = MinHoldIf.SUCCESS)
        @Transactional
        public void submitInTransaction(Runnable body) {
            body.run();
        }

        @DistributedLock(
                name = KEY,
                minHold = "20s",
                minHoldIf = MinHoldIf.SUCCESS,
                inTransaction = InTransaction.RELEASE_AFTER)
        public void submitInTransactionOfCaller() {}

        @Async
        @DistributedLock(name = KEY, minHold = "20s", minHoldIf = MinHoldIf.SUCCESS)
        public CompletableFuture<String> submitAsync(Supplier<CompletableFuture<String>> body) {
            return body.get();
        }

        @DistributedLock(name = KEY, minHold = "20s", minHoldIf = MinHoldIf.SUCCESS)
        public CompletableFuture<String> submitStage(CompletableFuture<String> stage) {
            return stage;
        }

        @DistributedLock(name = KEY, minHold = "20s", minHoldIf = MinHoldIf.SUCCESS)
        public Mono<String> submitMono(Mono<String> work) {
            return work;
        }

        @DistributedLock(name = KEY, minHold = "20s", minHoldIf = MinHoldIf.SUCCESS)
        public Flux<String> submitFlux(Flux<String> work) {
            return work;
        }

        @ScheduledLock(name = KEY, minHold = "20s", minHoldIf = MinHoldIf.SUCCESS)
        @Retryable(maxRetries = 2, delay = 1)
        public void job() {
            attempts++;
            if (attempts < 3) {
                throw new IllegalStateException("attempt " + attempts);
            }
        }

        int attempts() {
            return attempts;
        }
    }

    private static boolean isKept(ApplicationContext context) {
        StoredLock stored = context.getBean(LockAdmin.class).inspect(KEY).join();
        return stored instanceof StoredLock.Kept;
    }

    private static void free(ApplicationContext context) {
        StoredLock.Kept kept =
                (StoredLock.Kept) context.getBean(LockAdmin.class).inspect(KEY).join();
        context.getBean(LockAdmin.class).revoke(KEY, 0, kept.fencingToken()).join();
    }

    private static void fail() {
        throw new IllegalStateException("no");
    }

    @Test
    void aMethodThatThrowsCanBeCalledAgainAtOnce() {
        application.run(context -> {
            Orders orders = context.getBean(Orders.class);
            assertThatThrownBy(() -> orders.submit(MinHoldIfTests::fail)).hasMessage("no");
            assertThat(isKept(context)).isFalse();
            orders.submit(() -> {});
            assertThat(isKept(context)).isTrue();
        });
    }

    @Test
    void aMethodWhoseLockWasLostCanBeCalledAgainAtOnce() {
        application.withPropertyValues("distributed-lock.on-lost=return").run(context -> {
            LockAdmin admin = context.getBean(LockAdmin.class);
            context.getBean(Orders.class).submit(() -> {
                LockHandle lock = LockHandle.current().orElseThrow();
                admin.revoke(KEY, 0, lock.fencingToken()).join();
            });
            assertThat(isKept(context)).isFalse();
        });
    }

    @Test
    void aFailedFutureOfAnAsyncMethodIsNoSuccess() {
        application.run(context -> {
            Orders orders = context.getBean(Orders.class);
            assertThatThrownBy(orders.submitAsync(() -> CompletableFuture.failedFuture(new IOException("no")))::join)
                    .hasCauseInstanceOf(IOException.class);
            assertThat(isKept(context)).isFalse();
            assertThat(orders.submitAsync(() -> CompletableFuture.completedFuture("done"))
                            .join())
                    .isEqualTo("done");
            assertThat(isKept(context)).isTrue();
        });
    }

    @Test
    void aFailedOrCancelledStageIsNoSuccess() {
        application.run(context -> {
            Orders orders = context.getBean(Orders.class);
            assertThatThrownBy(orders.submitStage(CompletableFuture.failedFuture(new IOException("no")))::join)
                    .hasCauseInstanceOf(IOException.class);
            assertThat(isKept(context)).isFalse();
            CompletableFuture<String> work = new CompletableFuture<>();
            CompletableFuture<String> cancelled = orders.submitStage(work);
            await().until(() -> LockRunner.held(context).find(KEY).isPresent());
            cancelled.cancel(false);
            work.complete("late");
            await().until(() -> LockRunner.held(context).size() == 0);
            assertThat(isKept(context)).isFalse();
            orders.submitStage(CompletableFuture.completedFuture("done")).join();
            assertThat(isKept(context)).isTrue();
        });
    }

    @Test
    void aFailedOrCancelledPublisherIsNoSuccess() {
        application.run(context -> {
            Orders orders = context.getBean(Orders.class);
            assertThatThrownBy(orders.submitMono(Mono.error(new IllegalStateException("no")))::block)
                    .hasMessage("no");
            assertThat(isKept(context)).isFalse();
            Sinks.Empty<String> started = Sinks.empty();
            Disposable running = orders.submitMono(Mono.<String>never().doOnSubscribe(any -> started.tryEmitEmpty()))
                    .subscribe();
            started.asMono().block();
            running.dispose();
            await().until(() -> LockRunner.held(context).size() == 0);
            assertThat(isKept(context)).isFalse();
            assertThat(orders.submitFlux(Flux.just("a", "b")).blockFirst()).isEqualTo("a"); // cancels the rest
            await().until(() -> LockRunner.held(context).size() == 0);
            assertThat(isKept(context)).isFalse();

            assertThat(orders.submitMono(Mono.just("done")).block()).isEqualTo("done");
            assertThat(isKept(context)).isTrue();
            free(context);
            assertThat(orders.submitFlux(Flux.just("a", "b")).blockLast()).isEqualTo("b");
            assertThat(isKept(context)).isTrue();
        });
    }

    @Test
    void theCommitOfTheMethodIsPartOfTheSuccess() {
        application.run(context -> {
            Orders orders = context.getBean(Orders.class);
            assertThatThrownBy(() -> orders.submitInTransaction(MinHoldIfTests::fail))
                    .hasMessage("no");
            assertThat(isKept(context)).isFalse();
            orders.submitInTransaction(() -> {});
            assertThat(isKept(context)).isTrue();
        });
    }

    /** Of a method, of code, and of a handle that code passes to the transaction. */
    @Test
    void theCommitOfTheCallerIsTheSuccessOfALockThatItsTransactionKeeps() {
        LockRequest request = REQUEST.inTransaction(InTransaction.RELEASE_AFTER);
        application.run(context -> {
            Orders orders = context.getBean(Orders.class);
            LockOperations locks = context.getBean(LockOperations.class);
            TransactionTemplate transaction =
                    new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
            for (Runnable call : new Runnable[] {
                orders::submitInTransactionOfCaller,
                () -> locks.execute(request, () -> {}),
                () -> TransactionLocks.releaseAfterCompletion(locks.acquire(REQUEST))
            }) {
                transaction.executeWithoutResult(status -> {
                    call.run();
                    status.setRollbackOnly();
                });
                assertThat(isKept(context)).isFalse();
                transaction.executeWithoutResult(status -> call.run());
                assertThat(isKept(context)).isTrue();
                free(context);
            }
        });
    }

    /** The further ones re-enter the lock that the transaction keeps, also one without a minimum hold. */
    @Test
    void theCommitIsTheSuccessOfEachCallInATransaction() {
        LockRequest request = REQUEST.inTransaction(InTransaction.RELEASE_AFTER);
        application.run(context -> {
            Orders orders = context.getBean(Orders.class);
            LockOperations locks = context.getBean(LockOperations.class);
            TransactionTemplate transaction =
                    new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
            List<Runnable> calls = List.of(orders::submitInTransactionOfCaller, () -> locks.execute(request, () -> {}));
            Runnable plain =
                    () -> locks.execute(LockRequest.of(KEY).inTransaction(InTransaction.RELEASE_AFTER), () -> {});
            for (Runnable call : calls) {
                for (Runnable first : List.of(call, plain)) {
                    transaction.executeWithoutResult(status -> {
                        first.run();
                        call.run();
                        status.setRollbackOnly();
                    });
                    assertThat(isKept(context)).isFalse();
                    transaction.executeWithoutResult(status -> {
                        first.run();
                        call.run();
                    });
                    assertThat(isKept(context)).isTrue();
                    free(context);
                }
            }
        });
    }

    @Test
    void theCommitIsTheSuccessOfEachCallWithTheConfiguredCondition() {
        LockRequest request = LockRequest.of(KEY).inTransaction(InTransaction.RELEASE_AFTER);
        application
                .withPropertyValues(
                        "distributed-lock.locks.submit.min-hold=20s",
                        "distributed-lock.locks.submit.min-hold-if=success")
                .run(context -> {
                    LockOperations locks = context.getBean(LockOperations.class);
                    new TransactionTemplate(context.getBean(PlatformTransactionManager.class))
                            .executeWithoutResult(status -> {
                                locks.execute(request, () -> {});
                                locks.execute(request, () -> {});
                                status.setRollbackOnly();
                            });
                    assertThat(isKept(context)).isFalse();
                });
    }

    @Test
    void aRetryRepeatsAJobUntilItSucceeds() {
        application.run(context -> {
            Orders orders = context.getBean(Orders.class);
            orders.job();
            assertThat(orders.attempts()).isEqualTo(3);
            assertThat(isKept(context)).isTrue();
            orders.job();
            assertThat(orders.attempts()).as("skipped").isEqualTo(3);
        });
    }

    static class Configured {
        @DistributedLock(name = "configured", minHold = "20s")
        public void submit() {
            fail();
        }
    }

    @Test
    void theConditionOfTheNameAppliesToItsMethods() {
        application
                .withBean(Configured.class)
                .withPropertyValues("distributed-lock.locks.configured.min-hold-if=success")
                .run(context -> {
                    assertThatThrownBy(context.getBean(Configured.class)::submit)
                            .hasMessage("no");
                    assertThat(context.getBean(LockOperations.class).tryAcquire("configured"))
                            .isPresent();
                });
    }

    static class WithoutMinimumHold {
        @DistributedLock(name = "without", minHoldIf = MinHoldIf.SUCCESS)
        public void submit() {}
    }

    @Test
    void startFailsForTheConditionWithoutAMinimumHold() {
        FailureReport.assertThat(application.withBean("bean", WithoutMinimumHold.class))
                .isEqualTo("Bean 'bean': @DistributedLock on MinHoldIfTests.WithoutMinimumHold.submit() cannot take"
                        + " effect: minHoldIf of lock 'without' is SUCCESS, which has no effect without a minimum hold.\n\n"
                        + "Set minHold, or leave minHoldIf out.");
    }
}
