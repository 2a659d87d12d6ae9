package io.github.lockstarter.kotlin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockAdmin;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockOperations;
import io.github.lockstarter.autoconfigure.DistributedLockAutoConfiguration;
import io.github.lockstarter.autoconfigure.redis.RedisLockAutoConfiguration;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.kit.redis.RedisExtension;
import io.github.lockstarter.testing.Effort;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Methods of each shape that continue after they have returned, with locks in Redis. */
class MethodShapeIT {

    private static final String KEY = "section";
    private static final int CALLS = 20;

    @BeforeAll
    static void watchThreads() {
        BlockedThreads.watch();
    }

    @RegisterExtension
    static final RedisExtension REDIS = new RedisExtension();

    private final GuardedSection section = new GuardedSection();

    @BeforeEach
    void forget() {
        BlockedThreads.forget();
    }

    @AfterEach
    void noThreadWasBlocked() {
        assertThat(BlockedThreads.seen()).isEmpty();
    }

    private ApplicationContextRunner application() {
        return new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        AopAutoConfiguration.class,
                        DistributedLockAutoConfiguration.class,
                        DataRedisAutoConfiguration.class,
                        RedisLockAutoConfiguration.class))
                .withBean(LockedMethodShapes.class, section)
                .withPropertyValues(
                        "spring.data.redis.host=" + REDIS.server().host(),
                        "spring.data.redis.port=" + REDIS.server().port(),
                        "distributed-lock.redis.command-timeout=20s", // for busy machines
                        "distributed-lock.max-wait=1m");
    }

    private static CompletableFuture<String> start(Shape shape, ApplicationContext context, Ending ending) {
        return shape.start(context.getBean(LockedMethodShapes.class), ending);
    }

    private static void assertFree(ApplicationContext context) {
        await().untilAsserted(() -> assertThat(
                        context.getBean(LockOperations.class).heldLocks().size())
                .isZero());
        context.getBean(LockOperations.class).execute(KEY, () -> {});
    }

    /** Subscribed to on a thread that must not block. */
    private static List<CompletableFuture<String>> started(Shape shape, ApplicationContext context, int calls) {
        return Mono.fromCallable(() -> IntStream.range(0, calls)
                        .mapToObj(i -> start(shape, context, Ending.COMPLETE))
                        .toList())
                .subscribeOn(Schedulers.parallel())
                .block();
    }

    private void inTwoApplications(Consumer<List<ApplicationContext>> test) {
        application().run(one -> application().run(other -> test.accept(List.of(one, other))));
    }

    @ParameterizedTest
    @EnumSource
    void runsOneCallAtATime(Shape shape) {
        inTwoApplications(contexts -> {
            List<CompletableFuture<String>> calls = new ArrayList<>();
            contexts.forEach(context -> calls.addAll(started(shape, context, CALLS / contexts.size())));
            assertThat(calls).allSatisfy(call -> assertThat(call.get(Patience.SECONDS, TimeUnit.SECONDS))
                    .isEqualTo("done"));
            assertThat(section.mostInside()).isEqualTo(1);
            assertThat(section.entries()).isEqualTo(CALLS);
            contexts.forEach(MethodShapeIT::assertFree);
        });
    }

    /** The other shapes are in {@code MethodShapeTests}. */
    @ParameterizedTest
    @EnumSource(names = {"SUSPEND", "FLOW"})
    void releasesAfterAFailure(Shape shape) {
        application().run(context -> {
            for (int i = 0; i < 3; i++) {
                assertThat(catchThrowable(
                                () -> start(shape, context, Ending.FAIL).get(Patience.SECONDS, TimeUnit.SECONDS)))
                        .hasRootCauseInstanceOf(BrokenWork.class);
            }
            assertThat(section.entries()).isEqualTo(3);
            assertFree(context);
        });
    }

    @ParameterizedTest
    @EnumSource
    @Tag(Effort.FULL)
    void releasesAfterACancellationThatEndsTheWork(Shape shape) {
        application().run(context -> {
            CompletableFuture<String> call = start(shape, context, Ending.NEVER);
            await().until(() -> section.inside() == 1);
            call.cancel(true);
            if (shape == Shape.FUTURE) { // it cannot be ended from outside
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
                assertThat(context.getBean(LockOperations.class).tryAcquire(KEY))
                        .isEmpty();
                assertThat(section.inside()).isEqualTo(1);
                section.getFinished().complete("done");
            }
            assertFree(context);
            await().until(() -> section.inside() == 0); // a coroutine ends on its dispatcher, behind the release
        });
    }

    @ParameterizedTest
    @EnumSource
    @Tag(Effort.FULL)
    void cancellationEndsTheWait(Shape shape) {
        application().run(context -> {
            LockHandle other = context.getBean(LockOperations.class).acquire(KEY);
            List<CompletableFuture<String>> waiting = started(shape, context, CALLS);
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
            waiting.forEach(each -> each.cancel(true));
            other.release();
            assertFree(context);
            if (shape != Shape.FLOW) { // whose cancellation its dispatcher passes on, perhaps behind the grant
                assertThat(section.entries()).isZero();
            }
            await().until(() -> section.inside() == 0);
        });
    }

    @ParameterizedTest
    @EnumSource(names = {"SUSPEND", "FLOW"})
    void failsWhenTheLockIsLost(Shape shape) {
        application().run(context -> {
            CompletableFuture<String> call = start(shape, context, Ending.NEVER);
            await().until(() -> section.inside() == 1);
            long token = context.getBean(LockOperations.class)
                    .heldLocks()
                    .find(KEY)
                    .orElseThrow()
                    .fencingToken();
            context.getBean(LockAdmin.class).revoke(KEY, token).join();
            assertThatThrownBy(() -> call.get(Patience.SECONDS, TimeUnit.SECONDS))
                    .rootCause()
                    .isInstanceOf(LockLostException.class);
            section.getFinished().complete("done");
            assertFree(context);
        });
    }

    /** The other gate: the same calls, past the proxy. */
    @ParameterizedTest
    @EnumSource
    void theCheckFindsOverlapsWithoutTheLock(Shape shape) {
        LockedMethodShapes unlocked = new LockedMethodShapes(section);
        List<CompletableFuture<String>> calls = IntStream.range(0, CALLS)
                .mapToObj(i -> shape.start(unlocked, Ending.COMPLETE))
                .toList();
        assertThat(calls).allSatisfy(call -> assertThat(call.get(Patience.SECONDS, TimeUnit.SECONDS))
                .isEqualTo("done"));
        assertThat(section.mostInside()).isGreaterThan(1);
    }

    /** One gate: a thread that must not block, and does. */
    @Test
    void theCheckFindsABlockedThread() {
        BlockedThreads.forget();
        application().withPropertyValues("distributed-lock.backend=local").run(context -> {
            LockOperations locks = context.getBean(LockOperations.class);
            LockHandle other = locks.acquire(KEY); // otherwise the action may start on this thread
            CompletableFuture<String> sleeping = locks.executeAsync(KEY, () -> {
                try {
                    Thread.sleep(1); // blocks, which must be detected
                } catch (InterruptedException e) {
                    throw new CompletionException(e);
                }
                return CompletableFuture.completedFuture("");
            });
            other.release();
            sleeping.join();
        });
        assertThat(BlockedThreads.seen()).anyMatch(each -> each.contains("sleep"));
        BlockedThreads.forget();
    }
}
