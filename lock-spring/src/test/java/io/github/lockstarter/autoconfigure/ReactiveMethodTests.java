package io.github.lockstarter.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.IfContended;
import io.github.lockstarter.LockBackendException;
import io.github.lockstarter.LockContext;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockNotAcquiredException;
import io.github.lockstarter.LockOperations;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.Renewal;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.reactive.ReactiveLockOperations;
import io.reactivex.rxjava3.core.Completable;
import io.reactivex.rxjava3.core.Flowable;
import io.reactivex.rxjava3.core.Maybe;
import io.reactivex.rxjava3.core.Single;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.aspectj.lang.ProceedingJoinPoint;
import org.aspectj.lang.annotation.Around;
import org.aspectj.lang.annotation.Aspect;
import org.junit.jupiter.api.Test;
import org.reactivestreams.FlowAdapters;
import org.reactivestreams.Publisher;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Hooks;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Schedulers;

/** Annotated methods that return a reactive type. */
@SuppressWarnings("unused")
class ReactiveMethodTests {

    private static final Duration LONG = Duration.ofSeconds(5);

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(
                    AutoConfigurations.of(AopAutoConfiguration.class, DistributedLockAutoConfiguration.class))
            .withBean(Orders.class)
            .withPropertyValues("distributed-lock.backend=local", "distributed-lock.wait=0");

    private static boolean isHeld(ApplicationContext context) {
        return context.getBean(LockOperations.class)
                .heldLocks()
                .find("order:42")
                .isPresent();
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

        @DistributedLock(name = "order", key = "#id")
        public Publisher<String> publish(long id, Publisher<String> work) {
            return work;
        }

        @DistributedLock(name = "order", key = "#id")
        public Flow.Publisher<String> flow(long id, Flow.Publisher<String> work) {
            return work;
        }

        @DistributedLock(name = "order", key = "#id")
        public Single<String> single(long id, Single<String> work) {
            return work;
        }

        @DistributedLock(name = "order", key = "#id", ifContended = IfContended.SKIP)
        public Maybe<String> maybe(long id, Maybe<String> work) {
            return work;
        }

        @DistributedLock(name = "order", key = "#id", ifContended = IfContended.SKIP)
        public Completable completable(long id, Completable work) {
            return work;
        }

        @DistributedLock(name = "order", key = "#id", ifContended = IfContended.SKIP)
        public Flowable<String> flowable(long id, Flowable<String> work) {
            return work;
        }

        @DistributedLock(name = "order", key = "#id", ifContended = IfContended.SKIP)
        public Mono<String> shipIfFree(long id, Mono<String> work) {
            return work;
        }

        @DistributedLock(name = "order", key = "#id", ifContended = IfContended.SKIP)
        public Flux<String> partsIfFree(long id, Flux<String> work) {
            return work;
        }

        @DistributedLock(name = "order", key = "#id", fallbackMethod = "busy")
        public Mono<String> shipOr(long id, Mono<String> work) {
            return work;
        }

        public Mono<String> busy(long id, Mono<String> work, LockNotAcquiredException refusal) {
            return id == 43 ? Mono.error(new IOException("busy")) : Mono.just("busy: " + refusal.key());
        }

        @DistributedLock(name = "order", key = "#id", leaseMs = 500, renewal = Renewal.OFF)
        public Flux<String> briefly(long id, Flux<String> work) {
            return work;
        }

        @DistributedLock(name = "order", key = "#id")
        public Mono<String> fail(long id) throws IOException {
            throw new IOException("disk full");
        }
    }

    @Test
    void lockPerSubscriptionUntilItEnds() {
        application.run(context -> {
            Orders orders = context.getBean(Orders.class);
            Sinks.One<String> work = Sinks.one();
            Mono<String> shipping = orders.ship(42, work.asMono());
            assertThat(orders.calls()).isZero();
            assertThat(isHeld(context)).isFalse();

            CompletableFuture<String> result = shipping.toFuture();
            await().until(() -> isHeld(context));
            assertThat(catchThrowable(() -> shipping.block(LONG))).isInstanceOf(LockNotAcquiredException.class);
            work.tryEmitValue("shipped");
            assertThat(result.join()).isEqualTo("shipped");
            assertThat(isHeld(context)).isFalse();
            assertThat(shipping.block(LONG)).isEqualTo("shipped");
            assertThat(orders.calls()).isEqualTo(2);
        });
    }

    @Test
    void holdTheLockWhileTheyRunForEveryReactiveType() {
        application.run(context -> {
            Orders orders = context.getBean(Orders.class);
            Mono<String> checked = Mono.fromSupplier(() -> "held: " + isHeld(context));
            String held = "held: true";
            assertThat(orders.ship(42, checked).block(LONG)).isEqualTo(held);
            assertThat(orders.parts(42, checked.repeat(2)).collectList().block(LONG))
                    .containsExactly(held, held, held);
            assertThat(Flux.from(orders.publish(42, checked)).blockFirst(LONG)).isEqualTo(held);
            awaitFree(context); // subscribers that take only the first value cancel
            assertThat(Flux.from(FlowAdapters.toPublisher(orders.flow(42, FlowAdapters.toFlowPublisher(checked))))
                            .blockFirst(LONG))
                    .isEqualTo(held);
            awaitFree(context);
            assertThat(orders.single(42, Single.fromPublisher(checked)).blockingGet())
                    .isEqualTo(held);
            assertThat(orders.maybe(42, Maybe.fromPublisher(checked)).blockingGet())
                    .isEqualTo(held);
            assertThat(orders.flowable(42, Flowable.fromPublisher(checked)).blockingFirst())
                    .isEqualTo(held);
            awaitFree(context);
            AtomicReference<Boolean> seen = new AtomicReference<>();
            orders.completable(42, Completable.fromAction(() -> seen.set(isHeld(context))))
                    .blockingAwait();
            assertThat(seen).hasValue(true);
            awaitFree(context);
        });
    }

    @Test
    void passFailuresOn() {
        application.run(context -> {
            Orders orders = context.getBean(Orders.class);
            IOException failure = new IOException("disk full");
            assertThat(catchThrowable(() -> orders.ship(42, Mono.error(failure)).block(LONG)))
                    .hasCause(failure);
            assertThat(catchThrowable(() -> orders.fail(42).block(LONG))).hasCauseInstanceOf(IOException.class);
            assertThat(catchThrowable(() -> orders.ship(42, null).block(LONG)))
                    .hasMessageContaining("Orders.ship(long, Mono) returned null");
            assertThat(isHeld(context)).isFalse();
        });
    }

    @Test
    void releaseWhenTheyAreCancelled() {
        application.run(context -> {
            Orders orders = context.getBean(Orders.class);
            Disposable subscription =
                    orders.parts(42, Flux.just("one").concatWith(Flux.never())).subscribe();
            await().until(() -> isHeld(context));
            subscription.dispose();
            awaitFree(context);
            assertThat(orders.parts(42, Flux.just("one", "two")).take(1).blockLast(LONG))
                    .isEqualTo("one");
            awaitFree(context);
        });
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
        application.withPropertyValues("distributed-lock.wait=1m").run(context -> {
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
        application.withPropertyValues("distributed-lock.wait=1m").run(context -> {
            Orders orders = context.getBean(Orders.class);
            for (int i = 0; i < 2_000; i++) {
                Disposable subscription = orders.ship(42, Mono.never()).subscribe();
                LockSupport.parkNanos(i % 3 == 0 ? 0 : i * 20L); // before, at and behind the grant
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
                .withPropertyValues("distributed-lock.wait=10s")
                .run(context -> {
                    Checked checked = context.getBean(Checked.class);
                    Random random = new Random();
                    for (int i = 0; i < 5_000; i++) {
                        Disposable subscription = checked.ship().subscribe();
                        LockSupport.parkNanos(random.nextInt(60_000));
                        subscription.dispose();
                    }
                    await().until(() ->
                            context.getBean(LockOperations.class).heldLocks().size() == 0);
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
    void canSkipOrFallBack() {
        application.run(context -> {
            Orders orders = context.getBean(Orders.class);
            Mono<String> work = Mono.just("shipped");
            LockHandle other = context.getBean(LockOperations.class).acquire("order:42");
            assertThat(orders.shipIfFree(42, work).blockOptional(LONG)).isEmpty();
            assertThat(orders.partsIfFree(42, work.flux()).collectList().block(LONG))
                    .isEmpty();
            assertThat(orders.maybe(42, Maybe.just("")).isEmpty().blockingGet()).isTrue();
            orders.completable(42, Completable.error(new IOException())).blockingAwait();
            assertThat(orders.flowable(42, Flowable.just("")).isEmpty().blockingGet())
                    .isTrue();
            assertThat(orders.shipOr(42, work).block(LONG)).isEqualTo("busy: order:42");
            other.release();
            assertThat(orders.shipIfFree(42, work).block(LONG)).isEqualTo("shipped");
            assertThat(orders.shipOr(42, work).block(LONG)).isEqualTo("shipped");
        });
    }

    @Test
    void failWithTheErrorOfTheirFallback() {
        application.run(context -> {
            LockHandle other = context.getBean(LockOperations.class).acquire("order:43");
            Throwable failure = catchThrowable(() -> context.getBean(Orders.class)
                    .shipOr(43, Mono.just("shipped"))
                    .block(LONG));
            assertThat(failure.getCause()).isInstanceOf(IOException.class);
            other.release();
        });
    }

    /** The exception of an inner lock is none of this one. */
    @Test
    void doNotMistakeAFailureOfTheWorkForContention() {
        application.run(context -> {
            Orders orders = context.getBean(Orders.class);
            LockNotAcquiredException inner = new LockNotAcquiredException("inner", "busy");
            assertThatThrownBy(() -> orders.shipIfFree(42, Mono.error(inner)).block(LONG))
                    .isSameAs(inner);
            LockBackendException unknown = new LockBackendException("inner", "unknown", null);
            assertThatThrownBy(() -> orders.shipOr(42, Mono.error(unknown)).block(LONG))
                    .isSameAs(unknown);
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

    // Loss

    @Test
    void failWhenTheLockIsLost() {
        application.run(context -> {
            AtomicReference<Boolean> cancelled = new AtomicReference<>(false);
            Flux<String> endless = Flux.just("one").concatWith(Flux.never()).doOnCancel(() -> cancelled.set(true));
            List<String> seen = new CopyOnWriteArrayList<>();
            assertThatThrownBy(() -> context.getBean(Orders.class)
                            .briefly(42, endless)
                            .doOnNext(seen::add)
                            .blockLast(LONG))
                    .isInstanceOf(LockLostException.class);
            assertThat(seen).containsExactly("one");
            assertThat(cancelled).hasValue(true);
        });
    }

    @Test
    void continueAfterALossWhenConfiguredToReturn() {
        application.withPropertyValues("distributed-lock.on-lost=return").run(context -> assertThat(
                        context.getBean(Orders.class)
                                .briefly(42, Flux.just("one", "two").delayElements(Duration.ofMillis(600)))
                                .collectList()
                                .block(LONG))
                .containsExactly("one", "two"));
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
            assertThat(context.getBean(LockOperations.class).heldLocks().size()).isZero();
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
    void areAnotherOwnerThanTheSubscribingThread() {
        application.run(context -> context.getBean(LockOperations.class)
                .execute("order:42", () -> assertThatThrownBy(() -> context.getBean(Orders.class)
                                .ship(42, Mono.just(""))
                                .block(LONG))
                        .isInstanceOf(LockNotAcquiredException.class)));
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
