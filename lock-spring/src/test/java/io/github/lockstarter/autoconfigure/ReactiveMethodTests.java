package io.github.lockstarter.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.IfContended;
import io.github.lockstarter.LockContext;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockNotAcquiredException;
import io.github.lockstarter.LockOperations;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.autoconfigure.testing.LockRunner;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.reactive.ReactiveLockOperations;
import io.github.lockstarter.testing.Effort;
import io.reactivex.rxjava3.core.Single;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.aspectj.lang.ProceedingJoinPoint;
import org.aspectj.lang.annotation.Around;
import org.aspectj.lang.annotation.Aspect;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Publisher;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Hooks;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Annotated methods that return a reactive type; {@link MethodShapeTests} has each type, and each outcome. */
@SuppressWarnings("unused")
class ReactiveMethodTests {

    private static final Duration LONG = Patience.TIME;

    private final ApplicationContextRunner application =
            LockRunner.application().withBean(Orders.class).withPropertyValues("distributed-lock.max-wait=0");

    private static boolean isHeld(ApplicationContext context) {
        return LockRunner.held(context).find("order:42").isPresent();
    }

    private static void awaitFree(ApplicationContext context) {
        await().until(() -> !isHeld(context));
    }

    static class Orders {

        private final AtomicInteger calls = new AtomicInteger();

        public int calls() {
            return calls.get();
        }

        @DistributedLock(name = "order", key = "#id")
        public Mono<String> ship(long id, Mono<String> work) {
            calls.incrementAndGet();
            assertThat(LockHandle.current().orElseThrow().key()).isEqualTo("order:" + id);
            return work;
        }

        @DistributedLock(name = "order", key = "#id")
        public Mono<String> currentKey(long id) {
            return Mono.just(LockHandle.current().orElseThrow().key());
        }

        @DistributedLock(name = "order", key = "#id")
        public Flux<String> parts(long id, Flux<String> work) {
            return work;
        }

        @DistributedLock(name = "order", key = "#id", fallbackMethod = "busy")
        public Mono<String> shipOr(long id, Mono<String> work) {
            return work;
        }

        public Mono<String> busy(long id, Mono<String> work, LockNotAcquiredException refusal) {
            return id == 43 ? Mono.error(new IOException("busy")) : Mono.just("busy: " + refusal.key());
        }
    }

    private static void subscribeRegardless(Publisher<String> publisher) {
        try {
            Flux.from(publisher).subscribe();
        } catch (NoClassDefFoundError fatal) {
            // where the lock is granted at once
        }
    }

    /** Reactor passes it to no subscriber, but throws it where the operator runs: here or on a thread of the client. */
    @Test
    void releaseAfterAnErrorThatReactorTreatsAsFatal() {
        application.run(context -> {
            Orders orders = context.getBean(Orders.class);
            AtomicInteger thrown = new AtomicInteger();
            Mono<String> fatal = Mono.fromSupplier(() -> {
                thrown.incrementAndGet();
                throw new NoClassDefFoundError("com/example/Gone");
            });
            subscribeRegardless(orders.ship(42, fatal));
            await().untilAsserted(() -> assertThat(thrown).hasValue(1));
            awaitFree(context);
            subscribeRegardless(orders.parts(42, fatal.flux()));
            await().untilAsserted(() -> assertThat(thrown).hasValue(2));
            awaitFree(context);
        });
    }

    @Test
    void giveUpTheirWaitWhenTheyAreCancelled() {
        application.withPropertyValues("distributed-lock.max-wait=1m").run(context -> {
            Orders orders = context.getBean(Orders.class);
            LockHandle other = context.getBean(LockOperations.class).acquire("order:42");
            Disposable waiting = orders.ship(42, Mono.just("shipped")).subscribe();
            waiting.dispose();
            other.release();
            context.getBean(LockOperations.class).execute("order:42", () -> {});
            assertThat(orders.calls()).isZero();
            assertThat(isHeld(context)).isFalse();
        });
    }

    /** Whichever is first, the lock is free at the end. */
    @Test
    void leaveNoLockHeldWhenCancelledDuringTheGrant() {
        application.withPropertyValues("distributed-lock.max-wait=1m").run(context -> {
            Orders orders = context.getBean(Orders.class);
            int rounds = Effort.of(500, 2_000);
            for (int i = 0; i < rounds; i++) {
                Disposable subscription = orders.ship(42, Mono.never()).subscribe();
                LockSupport.parkNanos(i % 3 == 0 ? 0 : i * 40_000L / rounds); // before, at and behind the grant
                subscription.dispose();
            }
            awaitFree(context);
            context.getBean(LockOperations.class).execute("order:42", () -> {});
        });
    }

    static class Checked {

        private final AtomicInteger calls = new AtomicInteger();
        private final AtomicInteger callsWithoutTheLock = new AtomicInteger();

        @DistributedLock(name = "order")
        public Mono<String> ship() {
            calls.incrementAndGet();
            Thread.onSpinWait();
            if (!LockHandle.current().orElseThrow().isHeld()) {
                callsWithoutTheLock.incrementAndGet();
            }
            return Mono.empty();
        }

        int calls() {
            return calls.get();
        }

        int callsWithoutTheLock() {
            return callsWithoutTheLock.get();
        }
    }

    /** Whenever they are cancelled: before the grant, between the grant and the call, or while the method is called. */
    @Test
    void areCalledOnlyUnderTheirLock() {
        application
                .withBean(Checked.class)
                .withPropertyValues("distributed-lock.max-wait=1m")
                .run(context -> {
                    Checked checked = context.getBean(Checked.class);
                    Random random = new Random();
                    for (int i = 0; i < Effort.of(1_500, 5_000); i++) {
                        Disposable subscription = checked.ship().subscribe();
                        LockSupport.parkNanos(random.nextInt(60_000));
                        subscription.dispose();
                    }
                    await().until(() -> LockRunner.held(context).size() == 0);
                    assertThat(checked.calls()).isPositive();
                    assertThat(checked.callsWithoutTheLock()).isZero();
                });
    }

    @Test
    void lockAgainForARetry() {
        application.run(context -> {
            AtomicInteger attempts = new AtomicInteger();
            List<Long> tokens = new CopyOnWriteArrayList<>();
            Mono<String> flaky = Mono.deferContextual(subscriber -> {
                tokens.add(
                        ReactiveLockOperations.current(subscriber).orElseThrow().fencingToken());
                return attempts.incrementAndGet() < 3 ? Mono.error(new IOException("reset")) : Mono.just("shipped");
            });
            assertThat(context.getBean(Orders.class).ship(42, flaky).retry(2).block(LONG))
                    .isEqualTo("shipped");
            assertThat(tokens).hasSize(3).doesNotHaveDuplicates().isSorted();
        });
    }

    @Aspect
    static class Audit {

        private final AtomicInteger calls = new AtomicInteger();

        @Around("execution(* *..ReactiveMethodTests.Orders.ship(..))")
        public Object count(ProceedingJoinPoint call) throws Throwable {
            calls.incrementAndGet();
            return call.proceed();
        }
    }

    /** Each subscription has an invocation of its own; a used one has no aspects left to pass. */
    @Test
    void runInnerAspectsPerSubscriptionUnderTheLock() {
        application.withBean(Audit.class).run(context -> {
            AtomicInteger calls = context.getBean(Audit.class).calls;
            Mono<String> shipping = context.getBean(Orders.class).ship(42, Mono.just("shipped"));
            assertThat(calls).hasValue(0);
            assertThat(shipping.repeat(2).collectList().block(LONG)).hasSize(3);
            assertThat(calls).hasValue(3);
        });
    }

    static class Ticks {

        private final List<Long> tokens = new CopyOnWriteArrayList<>();

        public List<Long> tokens() {
            return tokens;
        }

        @Scheduled(fixedRate = 20)
        @DistributedLock(name = "tick")
        public Mono<Void> tick() {
            return ReactiveLockOperations.current()
                    .doOnNext(handle -> tokens.add(handle.fencingToken()))
                    .then();
        }
    }

    @Configuration
    @EnableScheduling
    static class Scheduling {}

    @Test
    void lockWithEachTickOfASchedule() {
        application
                .withUserConfiguration(Scheduling.class)
                .withBean(Ticks.class)
                .run(context -> {
                    List<Long> tokens = context.getBean(Ticks.class).tokens();
                    await().until(() -> tokens.size() >= 3);
                    assertThat(tokens).doesNotHaveDuplicates();
                });
    }

    // Contention

    @Test
    void endAsTheirFallbackDoes() {
        application.run(context -> {
            Orders orders = context.getBean(Orders.class);
            Mono<String> work = Mono.just("shipped");
            LockHandle other = context.getBean(LockOperations.class).acquire("order:42");
            assertThat(orders.shipOr(42, work).block(LONG)).isEqualTo("busy: order:42");
            other.release();
            assertThat(orders.shipOr(42, work).block(LONG)).isEqualTo("shipped");
            try (LockHandle third = context.getBean(LockOperations.class).acquire("order:43")) {
                assertThat(catchThrowable(() -> orders.shipOr(43, work).block(LONG)))
                        .hasCauseInstanceOf(IOException.class);
                assertThat(third.isHeld()).isTrue();
            }
        });
    }

    static class Certain {
        @DistributedLock(ifContended = IfContended.SKIP)
        public Single<String> ship() {
            return Single.just("");
        }
    }

    @Test
    void failTheStartIfASkippedCallNeedsAValue() {
        application.withBean(Certain.class).run(context -> assertThat(context)
                .getFailure()
                .rootCause()
                .hasMessageContaining(
                        "a skipped call has no result, and the method returns a Single, which has a value"));
    }

    // Reentrancy

    @Test
    void reenterInsideThemselves() {
        application.run(context -> {
            Orders orders = context.getBean(Orders.class);
            Mono<String> inner = orders.parts(42, Flux.just("a", "b"))
                    .publishOn(Schedulers.parallel())
                    .collectList()
                    .map(List::toString);
            assertThat(orders.ship(42, Mono.delay(Duration.ofMillis(5)).then(inner))
                            .block(LONG))
                    .isEqualTo("[a, b]");
            assertThat(isHeld(context)).isFalse();
        });
    }

    /** The outer lock is carried by the thread that starts the stage, the inner ones by the Reactor context. */
    @Test
    void reenterTheLockOfAnEnclosingStageThatPassesItsContext() {
        application.run(context -> {
            Orders orders = context.getBean(Orders.class);
            Mono<String> innermost = orders.ship(42, Mono.just("innermost"));
            Mono<String> between =
                    orders.ship(43, Mono.delay(Duration.ofMillis(5)).then(innermost));
            assertThat(context.getBean(LockOperations.class)
                            .executeAsync("order:42", () -> {
                                LockContext inside = LockContext.current();
                                return between.contextWrite(subscriber -> subscriber.put(LockContext.KEY, inside))
                                        .toFuture();
                            })
                            .get(Patience.SECONDS, TimeUnit.SECONDS))
                    .isEqualTo("innermost");
            assertThat(LockRunner.held(context).size()).isZero();
        });
    }

    /** Such as other work, whose signal that work has sent. */
    @Test
    void doNotReenterTheLockOfTheSubscribingThread() {
        application.run(context -> assertThatThrownBy(() -> context.getBean(LockOperations.class)
                        .executeAsync("order:42", () -> context.getBean(Orders.class)
                                .ship(42, Mono.just(""))
                                .toFuture())
                        .get(Patience.SECONDS, TimeUnit.SECONDS))
                .hasCauseInstanceOf(LockNotAcquiredException.class));
    }

    /** The work holds its lock already, so that the method is called on the thread that subscribes. */
    @Test
    void findTheirOwnLockInsideABlockingBody() {
        application.run(context -> {
            LockOperations locks = context.getBean(LockOperations.class);
            LockHandle handle = locks.acquireAsync(LockRequest.of("order:42")).join();
            LockContext work = LockContext.NONE.with(handle);
            String found = locks.execute("outer", () -> context.getBean(Orders.class)
                    .currentKey(42)
                    .contextWrite(subscriber -> subscriber.put(LockContext.KEY, work))
                    .block(LONG));
            assertThat(found).isEqualTo("order:42");
            handle.release();
        });
    }

    @Test
    void passTheirLockOnToBlockingCode() {
        Hooks.enableAutomaticContextPropagation();
        try {
            application.run(context -> {
                Mono<String> blocking = Mono.fromSupplier(
                                () -> LockHandle.current().orElseThrow().key())
                        .subscribeOn(Schedulers.boundedElastic());
                assertThat(context.getBean(Orders.class).ship(42, blocking).block(LONG))
                        .isEqualTo("order:42");
                assertThat(LockContext.current()).isSameAs(LockContext.NONE);
            });
        } finally {
            Hooks.disableAutomaticContextPropagation();
        }
    }
}
