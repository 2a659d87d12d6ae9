package io.github.lockstarter.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.HeldLocks;
import io.github.lockstarter.IfContended;
import io.github.lockstarter.InTransaction;
import io.github.lockstarter.LockContext;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockNotAcquiredException;
import io.github.lockstarter.LockOperations;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.autoconfigure.testing.LockRunner;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.transaction.testing.Bank;
import io.github.lockstarter.transaction.testing.H2Bank;
import io.micrometer.context.ContextRegistry;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import org.aspectj.lang.JoinPoint;
import org.aspectj.lang.annotation.Aspect;
import org.aspectj.lang.annotation.Before;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Annotated methods that return a stage, and methods on the thread of {@code @Async}; {@link MethodShapeTests} has each
 * outcome.
 */
@SuppressWarnings("unused")
@ExtendWith(OutputCaptureExtension.class)
class StageMethodTests {

    private final ApplicationContextRunner application =
            LockRunner.application().withPropertyValues("distributed-lock.max-wait=0");

    private static boolean isHeld(ApplicationContext context, String key) {
        return LockRunner.held(context).find(key).isPresent();
    }

    /** Each call returns the stage of its argument. */
    static class Orders {

        @DistributedLock(name = "order", key = "#id")
        public CompletableFuture<String> ship(long id, CompletableFuture<String> work) {
            assertThat(LockHandle.current().orElseThrow().key()).isEqualTo("order:" + id);
            return work;
        }

        @DistributedLock(name = "order", key = "#id", fallbackMethod = "busy")
        public CompletableFuture<String> shipOr(long id, CompletableFuture<String> work) {
            return work;
        }

        private CompletableFuture<String> busy(
                long id, CompletableFuture<String> work, LockNotAcquiredException refusal) {
            return CompletableFuture.completedFuture("busy: " + refusal.key());
        }
    }

    @Test
    void canFallBack() {
        application.withBean(Orders.class).run(context -> {
            Orders orders = context.getBean(Orders.class);
            CompletableFuture<String> work = CompletableFuture.completedFuture("shipped");
            LockHandle other = context.getBean(LockOperations.class).acquire("order:42");
            assertThat(orders.shipOr(42, work).join()).isEqualTo("busy: order:42");
            other.release();
            assertThat(orders.shipOr(42, work).join()).isEqualTo("shipped");
        });
    }

    // Value on the thread of the method

    private static final ThreadLocal<String> TENANT = new ThreadLocal<>();

    static class Tenants {
        @DistributedLock
        public CompletableFuture<String> read() {
            assertThat(LockHandle.current().orElseThrow().key()).isEqualTo("Tenants.read");
            assertThat(LockContext.current().innermost()).isEqualTo(LockHandle.current());
            return CompletableFuture.completedFuture(
                    TENANT.get() + " on " + Thread.currentThread().getName());
        }
    }

    static class FallingBack {
        @DistributedLock(name = "order", fallbackMethod = "busy")
        public CompletableFuture<String> ship() {
            return CompletableFuture.completedFuture("shipped");
        }

        public CompletableFuture<String> busy() {
            return CompletableFuture.completedFuture(
                    TENANT.get() + " on " + Thread.currentThread().getName());
        }
    }

    @Test
    void fallBackWithTheContextOfTheirCaller() {
        ContextRegistry.getInstance().registerThreadLocalAccessor("tenant", TENANT);
        TENANT.set("main");
        try {
            application
                    .withBean(FallingBack.class)
                    .withPropertyValues("distributed-lock.max-wait=100ms")
                    .run(context -> {
                        LockHandle other = context.getBean(LockOperations.class)
                                .acquire(LockRequest.of("order").ownedByHandle());
                        assertThat(context.getBean(FallingBack.class).ship().join())
                                .startsWith("main on lock-");
                        other.release();
                    });
        } finally {
            TENANT.remove();
            ContextRegistry.getInstance().removeThreadLocalAccessor("tenant");
        }
    }

    static class Nested {
        @DistributedLock(name = "outer")
        public CompletableFuture<String> outer(Nested self) {
            return self.inner(self);
        }

        @DistributedLock(name = "inner", fallbackMethod = "instead")
        public CompletableFuture<String> inner(Nested self) {
            return CompletableFuture.completedFuture("inner");
        }

        public CompletableFuture<String> instead(Nested self) {
            return self.outer2();
        }

        @DistributedLock(name = "outer")
        public CompletableFuture<String> outer2() {
            return CompletableFuture.completedFuture("inside of outer");
        }
    }

    @Test
    void fallBackInsideTheLocksOfTheirCaller() {
        application
                .withBean(Nested.class)
                .withPropertyValues("distributed-lock.max-wait=200ms")
                .run(context -> {
                    LockHandle other = context.getBean(LockOperations.class)
                            .acquire(LockRequest.of("inner").ownedByHandle());
                    Nested nested = context.getBean(Nested.class);
                    assertThat(nested.outer(nested).get(Patience.SECONDS, TimeUnit.SECONDS))
                            .isEqualTo("inside of outer");
                    other.release();
                });
    }

    static class Abandoned {
        private final CompletableFuture<String> inner = new CompletableFuture<>();

        /** Ends, and releases its lock, before the inner call is refused. */
        @DistributedLock(name = "outer")
        public CompletableFuture<String> outer(Abandoned proxy) {
            proxy.inner().whenComplete((value, failure) -> {
                if (failure == null) {
                    inner.complete(value);
                } else {
                    inner.completeExceptionally(failure);
                }
            });
            return CompletableFuture.completedFuture("ended");
        }

        @DistributedLock(name = "inner", fallbackMethod = "check")
        public CompletableFuture<String> inner() {
            return CompletableFuture.completedFuture("");
        }

        /** As a commit does. */
        public CompletableFuture<String> check() {
            LockHandle.ensureAllHeld();
            return CompletableFuture.completedFuture("checked");
        }

        CompletableFuture<String> result() {
            return inner;
        }
    }

    @Test
    void fallBackAfterTheReleaseOfTheLocksOfTheirCaller() {
        application
                .withBean(Abandoned.class)
                .withPropertyValues("distributed-lock.max-wait=200ms")
                .run(context -> {
                    LockHandle other = context.getBean(LockOperations.class)
                            .acquire(LockRequest.of("inner").ownedByHandle());
                    Abandoned abandoned = context.getBean(Abandoned.class);
                    assertThat(abandoned.outer(abandoned).get(Patience.SECONDS, TimeUnit.SECONDS))
                            .isEqualTo("ended");
                    assertThat(abandoned.result().get(Patience.SECONDS, TimeUnit.SECONDS))
                            .isEqualTo("checked");
                    other.release();
                });
    }

    static class Odd {
        @DistributedLock(name = "order", fallbackMethod = "refuse")
        public CompletableFuture<String> refused() {
            return CompletableFuture.completedFuture("");
        }

        public CompletableFuture<String> refuse() {
            return new CompletableFuture<>() {
                @Override
                public CompletableFuture<String> whenComplete(BiConsumer<? super String, ? super Throwable> action) {
                    throw new UnsupportedOperationException("no dependents");
                }
            };
        }

        @DistributedLock(name = "order", fallbackMethod = "fail")
        public CompletableFuture<String> failed() {
            return CompletableFuture.completedFuture("");
        }

        public CompletableFuture<String> fail() {
            return CompletableFuture.supplyAsync(() -> {
                throw new IllegalStateException("fallback");
            });
        }
    }

    @Test
    void failWithTheFailureOfTheirFallbackStage() {
        application
                .withBean(Odd.class)
                .withPropertyValues("distributed-lock.max-wait=0")
                .run(context -> {
                    LockHandle other = context.getBean(LockOperations.class)
                            .acquire(LockRequest.of("order").ownedByHandle());
                    Odd odd = context.getBean(Odd.class);
                    assertThatThrownBy(() -> odd.refused().get(Patience.SECONDS, TimeUnit.SECONDS))
                            .hasCauseInstanceOf(UnsupportedOperationException.class);
                    assertThatThrownBy(() -> odd.failed().get(Patience.SECONDS, TimeUnit.SECONDS))
                            .cause()
                            .hasMessage("fallback");
                    other.release();
                });
    }

    // Transactions

    static class Accounts {
        @DistributedLock(name = "account", inTransaction = InTransaction.REFUSE)
        public CompletableFuture<String> withdraw() {
            return CompletableFuture.completedFuture("");
        }
    }

    @Test
    void canBeRefusedInsideATransactionOfTheCaller() {
        application.withBean(Accounts.class).run(context -> {
            Accounts accounts = context.getBean(Accounts.class);
            accounts.withdraw().join();
            TransactionSynchronizationManager.setActualTransactionActive(true);
            TransactionSynchronizationManager.initSynchronization();
            try {
                assertThatIllegalStateException()
                        .isThrownBy(accounts::withdraw)
                        .withMessageContaining("inTransaction = REFUSE");
            } finally {
                TransactionSynchronizationManager.clear();
            }
        });
    }

    @Test
    void areNotKeptForATransaction(CapturedOutput output) {
        application
                .withBean(Orders.class)
                .withUserConfiguration(H2Bank.class)
                .withPropertyValues("distributed-lock.in-transaction=release-after")
                .run(context -> {
                    Orders orders = context.getBean(Orders.class);
                    HeldLocks held = LockRunner.held(context);
                    Bank.inTransaction(context, transaction -> {
                        for (int i = 0; i < 2; i++) {
                            orders.ship(1, CompletableFuture.completedFuture(""))
                                    .join();
                            assertThat(held.size()).isZero();
                        }
                    });
                });
        assertThat(output).containsOnlyOnce("RELEASE_AFTER does not apply to asynchronous work");
    }

    @Test
    void areCalledWithTheContextOfTheirCaller() {
        ContextRegistry.getInstance().registerThreadLocalAccessor("tenant", TENANT);
        TENANT.set("main");
        try {
            application.withBean(Tenants.class).run(context -> assertThat(
                            context.getBean(Tenants.class).read().join())
                    .startsWith("main on "));
        } finally {
            TENANT.remove();
            ContextRegistry.getInstance().removeThreadLocalAccessor("tenant");
        }
    }

    @Aspect
    @Order
    static class Audit {

        private final AtomicReference<String> seen = new AtomicReference<>();

        @Before("execution(* *..Tenants.read(..))")
        public void note(JoinPoint call) {
            seen.set(call.getSignature().getName());
        }
    }

    @Test
    void runInnerAspectsUnderTheLock() {
        application.withBean(Tenants.class).withBean(Audit.class).run(context -> {
            context.getBean(Tenants.class).read().join();
            assertThat(context.getBean(Audit.class).seen).hasValue("read");
        });
    }

    // @Async

    @Configuration
    @EnableAsync
    static class Background {}

    static class Jobs {

        @Async
        @DistributedLock(name = "job")
        public CompletableFuture<String> run(CompletableFuture<String> work) {
            assertThat(LockHandle.current()).isPresent();
            return work.thenApply(
                    result -> result + " after " + Thread.currentThread().getName());
        }

        @Async
        @DistributedLock(name = "job")
        public CompletableFuture<String> thread() {
            return CompletableFuture.completedFuture(Thread.currentThread().getName());
        }

        @Async
        @DistributedLock(name = "job")
        public Future<String> plain() {
            return CompletableFuture.completedFuture("plain");
        }

        @Async
        @DistributedLock(name = "job", ifContended = IfContended.SKIP)
        public CompletableFuture<String> runIfFree() {
            return CompletableFuture.completedFuture("ran");
        }
    }

    @Test
    void startFailsForAsyncMethodsWithoutTheAsyncAdvice() {
        application.withBean(Jobs.class).run(context -> assertThat(context)
                .getFailure()
                .rootCause()
                .hasMessageContaining("it has @Async, and no asynchronous advice is around it"));
    }

    @Test
    void asyncMethodsLockOnTheirThreadUntilTheirFutureEnds() {
        application.withUserConfiguration(Background.class).withBean(Jobs.class).run(context -> {
            Jobs jobs = context.getBean(Jobs.class);
            CompletableFuture<String> work = new CompletableFuture<>();
            CompletableFuture<String> result = jobs.run(work);
            await().until(() -> isHeld(context, "job"));
            assertThat(LockRunner.held(context).find("job").orElseThrow().owner())
                    .doesNotContain("async)");
            assertThat(jobs.runIfFree().join()).isNull();
            assertThatThrownBy(jobs.thread()::join).hasCauseInstanceOf(LockNotAcquiredException.class);
            work.complete("done");
            assertThat(result.join()).startsWith("done");
            await().until(() -> !isHeld(context, "job"));
            assertThat(jobs.thread().join()).doesNotContain("lock-").doesNotContain("main");
            assertThat(jobs.plain().get()).isEqualTo("plain");
        });
    }
}
