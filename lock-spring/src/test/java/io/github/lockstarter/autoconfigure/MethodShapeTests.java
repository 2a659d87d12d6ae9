package io.github.lockstarter.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.IfContended;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockNotAcquiredException;
import io.github.lockstarter.LockOperations;
import io.github.lockstarter.autoconfigure.testing.RevokingOperator;
import io.github.lockstarter.kit.Patience;
import io.reactivex.rxjava3.core.Completable;
import io.reactivex.rxjava3.core.Flowable;
import io.reactivex.rxjava3.core.Maybe;
import io.reactivex.rxjava3.core.Single;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.reactivestreams.FlowAdapters;
import org.reactivestreams.Publisher;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.core.ReactiveAdapterRegistry;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Schedulers;

/** A locked method of each shape, and each outcome of a call. The Kotlin shapes are in {@code verification/apps}. */
class MethodShapeTests {

    private static final String KEY = "order";

    private static ConfigurableApplicationContext application;
    private static ConfigurableApplicationContext returningAfterALoss;
    private static ConfigurableApplicationContext interruptingAtALoss;

    private final AtomicInteger calls = new AtomicInteger();
    private final AtomicBoolean cancelled = new AtomicBoolean();
    private final Sinks.One<String> end = Sinks.one();

    /** Methods whose callers can do without a value. Each returns its work in its shape, or nothing for nothing. */
    public static class Skippable {

        public @Nullable String blocking(Supplier<Mono<String>> work) {
            return shaped(work, Mono::block);
        }

        public CompletableFuture<String> future(Supplier<Mono<String>> work) {
            return shaped(work, Mono::toFuture);
        }

        public CompletionStage<String> stage(Supplier<Mono<String>> work) {
            return shaped(work, Mono::toFuture);
        }

        public Mono<String> mono(Supplier<Mono<String>> work) {
            return shaped(work, mono -> mono);
        }

        public Flux<String> flux(Supplier<Mono<String>> work) {
            return shaped(work, Mono::flux);
        }

        public Publisher<String> publisher(Supplier<Mono<String>> work) {
            return shaped(work, mono -> mono);
        }

        public Flow.Publisher<String> flow(Supplier<Mono<String>> work) {
            return shaped(work, FlowAdapters::toFlowPublisher);
        }

        public Maybe<String> maybe(Supplier<Mono<String>> work) {
            return shaped(work, Maybe::fromPublisher);
        }

        public Completable completable(Supplier<Mono<String>> work) {
            return shaped(work, Completable::fromPublisher);
        }

        public Flowable<String> flowable(Supplier<Mono<String>> work) {
            return shaped(work, Flowable::fromPublisher);
        }

        static <T> @Nullable T shaped(Supplier<Mono<String>> work, Function<Mono<String>, T> shape) {
            Mono<String> mono = work.get();
            return mono == null ? null : shape.apply(mono);
        }
    }

    @DistributedLock(name = KEY)
    public static class Locked extends Skippable {

        public Single<String> single(Supplier<Mono<String>> work) {
            return shaped(work, Single::fromPublisher);
        }
    }

    @DistributedLock(name = KEY, ifContended = IfContended.SKIP)
    public static class Skipping extends Skippable {}

    enum Shape {
        BLOCKING(Skippable::blocking),
        FUTURE(Skippable::future),
        STAGE(Skippable::stage),
        MONO(Skippable::mono),
        FLUX(Skippable::flux),
        PUBLISHER(Skippable::publisher),
        FLOW(Skippable::flow),
        SINGLE((methods, work) -> ((Locked) methods).single(work)),
        MAYBE(Skippable::maybe),
        COMPLETABLE(Skippable::completable),
        FLOWABLE(Skippable::flowable);

        @SuppressWarnings("ImmutableEnumChecker") // a method reference
        private final BiFunction<Skippable, Supplier<Mono<String>>, @Nullable Object> method;

        Shape(BiFunction<Skippable, Supplier<Mono<String>>, @Nullable Object> method) {
            this.method = method;
        }

        /** Whether each subscription is a call. */
        boolean isLazy() {
            return compareTo(STAGE) > 0;
        }

        /** What the method returns; a blocking call is made by the subscription, on another thread. */
        Publisher<String> call(Skippable methods, Supplier<Mono<String>> work) {
            if (this == BLOCKING) {
                return Mono.fromCallable(() -> methods.blocking(work)).subscribeOn(Schedulers.boundedElastic());
            }
            Object result = method.apply(methods, work);
            return ReactiveAdapterRegistry.getSharedInstance()
                    .getAdapter(null, result)
                    .toPublisher(result);
        }

        @Nullable
        String expected(String value) {
            return this == COMPLETABLE ? null : value;
        }
    }

    @BeforeAll
    static void start() {
        application = started("throw");
        returningAfterALoss = started("return");
        interruptingAtALoss = started("interrupt");
    }

    private static ConfigurableApplicationContext started(String onLost) {
        AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
        TestPropertyValues.of(
                        "distributed-lock.backend=local",
                        "distributed-lock.max-wait=0",
                        "distributed-lock.on-lost=" + onLost)
                .applyTo(context);
        context.register(
                AopAutoConfiguration.class, DistributedLockAutoConfiguration.class, Locked.class, Skipping.class);
        context.refresh();
        return context;
    }

    @AfterAll
    static void close() {
        application.close();
        returningAfterALoss.close();
        interruptingAtALoss.close();
    }

    private static Locked locked() {
        return application.getBean(Locked.class);
    }

    private static LockOperations locks() {
        return application.getBean(LockOperations.class);
    }

    private static boolean isHeld() {
        return locks().heldLocks().find(KEY).isPresent();
    }

    private static void awaitFree() {
        await().until(() -> !isHeld());
    }

    /** Called under the lock; lasts until the test ends it. */
    private Mono<String> work() {
        calls.incrementAndGet();
        assertThat(LockHandle.current().orElseThrow().key()).isEqualTo(KEY);
        return end.asMono().doOnCancel(() -> cancelled.set(true));
    }

    private static CompletableFuture<@Nullable String> subscribed(Publisher<String> call) {
        return Flux.from(call).reduce((first, last) -> last).toFuture();
    }

    private static @Nullable String result(CompletableFuture<@Nullable String> call) throws Exception {
        return call.get(Patience.SECONDS, TimeUnit.SECONDS);
    }

    private static Throwable failure(CompletableFuture<@Nullable String> call) {
        Throwable failure = catchThrowable(() -> result(call));
        assertThat(failure).isInstanceOf(ExecutionException.class);
        return failure.getCause();
    }

    private static Throwable failure(Publisher<String> call) {
        return failure(subscribed(call));
    }

    @ParameterizedTest
    @EnumSource
    void holdsTheLockFromTheCallUntilTheWorkEnds(Shape shape) throws Exception {
        Publisher<String> call = shape.call(locked(), this::work);
        if (shape.isLazy()) {
            assertThat(calls).hasValue(0);
            assertThat(isHeld()).isFalse();
        }

        CompletableFuture<@Nullable String> first = subscribed(call);
        await().until(() -> calls.get() == 1 && isHeld());
        assertThat(failure(shape.call(locked(), this::work))).isInstanceOf(LockNotAcquiredException.class);
        assertThat(calls).hasValue(1);
        assertThat(first).isNotDone();
        end.tryEmitValue("shipped");

        assertThat(result(first)).isEqualTo(shape.expected("shipped"));
        awaitFree();
        Publisher<String> again = shape.isLazy() ? call : shape.call(locked(), this::work);
        assertThat(result(subscribed(again))).isEqualTo(shape.expected("shipped"));
        assertThat(calls).hasValue(2);
        awaitFree();
    }

    @ParameterizedTest
    @EnumSource
    void failsLikeTheWorkOrTheMethodAndReleases(Shape shape) {
        IllegalStateException planted = new IllegalStateException("disk full");
        assertThat(failure(shape.call(locked(), () -> Mono.error(planted)))).isSameAs(planted);
        awaitFree();
        assertThat(failure(shape.call(locked(), () -> {
                    throw planted;
                })))
                .isSameAs(planted);
        awaitFree();
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "BLOCKING")
    void failsWithoutAnythingThatWouldEnd(Shape shape) {
        assertThat(failure(shape.call(locked(), () -> null)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("(Supplier) returned null");
        awaitFree();
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "SINGLE")
    void skipsWithoutAValueWhileAnotherOwnerHoldsTheLock(Shape shape) throws Exception {
        Skipping methods = application.getBean(Skipping.class);
        try (LockHandle other = locks().acquire(KEY)) {
            assertThat(result(subscribed(shape.call(methods, this::work)))).isNull();
            assertThat(calls).hasValue(0);
            assertThat(other.isHeld()).isTrue();
        }
        end.tryEmitValue("shipped");
        assertThat(result(subscribed(shape.call(methods, this::work)))).isEqualTo(shape.expected("shipped"));
    }

    /** The exception of an inner lock is none of this one. */
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "SINGLE")
    void doesNotMistakeAFailureOfTheWorkForContention(Shape shape) {
        LockNotAcquiredException inner = new LockNotAcquiredException("inner", "busy");
        assertThat(failure(shape.call(application.getBean(Skipping.class), () -> Mono.error(inner))))
                .isSameAs(inner);
        awaitFree();
    }

    @ParameterizedTest
    @EnumSource
    void failsWhenTheLockIsLost(Shape shape) {
        CompletableFuture<@Nullable String> call = subscribed(shape.call(locked(), this::work));
        await().until(() -> isHeld() && calls.get() == 1);
        RevokingOperator.revoke(application, KEY);
        if (shape.isLazy()) {
            await().untilTrue(cancelled);
        } else if (shape == Shape.BLOCKING) {
            end.tryEmitValue("shipped");
        }
        assertThat(failure(call)).isInstanceOf(LockLostException.class);
    }

    @ParameterizedTest
    @EnumSource
    void returnsTheResultAfterALossWhenConfigured(Shape shape) throws Exception {
        Locked methods = returningAfterALoss.getBean(Locked.class);
        CompletableFuture<@Nullable String> call = subscribed(shape.call(methods, this::work));
        await().until(() -> calls.get() == 1);
        RevokingOperator.revoke(returningAfterALoss, KEY);
        end.tryEmitValue("shipped");
        assertThat(result(call)).isEqualTo(shape.expected("shipped"));
    }

    /** The blocking call is interrupted, and cancels its subscription. */
    @ParameterizedTest
    @EnumSource
    void endsTheWorkAtALossWhenConfigured(Shape shape) {
        Locked methods = interruptingAtALoss.getBean(Locked.class);
        CompletableFuture<@Nullable String> call = subscribed(shape.call(methods, this::work));
        await().until(() -> calls.get() == 1);
        RevokingOperator.revoke(interruptingAtALoss, KEY);
        assertThat(failure(call)).isInstanceOf(LockLostException.class);
        await().untilTrue(cancelled);
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "BLOCKING")
    void releasesWhenItIsCancelledUnlessItsWorkContinues(Shape shape) {
        Disposable call = Flux.from(shape.call(locked(), this::work)).subscribe();
        await().until(() -> isHeld() && calls.get() == 1);
        call.dispose();
        if (!shape.isLazy()) {
            assertThat(isHeld()).isTrue();
            end.tryEmitValue("shipped");
        }
        awaitFree();
        await().until(() -> cancelled.get() == shape.isLazy());
    }
}
