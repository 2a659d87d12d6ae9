package io.github.lockstarter.kotlin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockNotAcquiredException;
import io.github.lockstarter.LockOperations;
import io.github.lockstarter.autoconfigure.DistributedLockAutoConfiguration;
import io.github.lockstarter.leader.LeaderAutoConfiguration;
import java.time.Duration;
import java.util.List;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Locked suspend functions, as an application in Kotlin declares them. */
class SuspendFunctionIT {

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(
                    AutoConfigurations.of(AopAutoConfiguration.class, DistributedLockAutoConfiguration.class))
            .withPropertyValues("distributed-lock.backend=local", "distributed-lock.max-wait=0");

    private void run(BiConsumer<OrderCalls, LockOperations> test) {
        application
                .withBean(Orders.class)
                .run(context -> test.accept(
                        new OrderCalls(context.getBean(Orders.class)), context.getBean(LockOperations.class)));
    }

    @Test
    void runsUnderItsLockWhichIsTheCurrentOne() {
        run((calls, locks) -> {
            assertThat(calls.ship().join()).startsWith("shipped under order:42 with ");
            assertThat(locks.heldLocks().size()).isZero();
        });
    }

    @Test
    void reentersOnAnyDispatcher() {
        run((calls, locks) -> {
            List<String> shipped = calls.shipTwice().join();
            assertThat(shipped).hasSize(2).allMatch(shipped.get(0)::equals);
            assertThat(locks.heldLocks().size()).isZero();
        });
    }

    @Test
    void failsSkipsOrFallsBackWhenAnotherOwnerHoldsTheLock() {
        run((calls, locks) -> {
            LockHandle other = locks.acquire("order:42");
            assertThatThrownBy(calls.ship()::join).hasCauseInstanceOf(LockNotAcquiredException.class);
            assertThat(calls.shipIfFree().join()).isNull();
            assertThat(calls.confirmIfFree().join()).isEqualTo(kotlin.Unit.INSTANCE);
            assertThat(calls.shipOr().join()).isEqualTo("busy: order:42 for 42");
            assertThat(calls.shipOrHidden().join()).isEqualTo("hidden: 42");
            other.release();
            assertThat(calls.shipIfFree().join()).isEqualTo("shipped");
            assertThat(calls.confirmIfFree().join()).isEqualTo(kotlin.Unit.INSTANCE);
            assertThat(calls.shipOr().join()).isEqualTo("shipped");
        });
    }

    @Test
    void runsOnlyOnTheLeader() {
        application
                .withConfiguration(AutoConfigurations.of(LeaderAutoConfiguration.class))
                .withBean(LeaderOrders.class)
                .run(context -> {
                    LeaderOrders orders = context.getBean(LeaderOrders.class);
                    assertThat(OrdersKt.collect(orders).join()).isNull();
                    context.publishEvent(new ApplicationReadyEvent(
                            new SpringApplication(),
                            new String[0],
                            context.getSourceApplicationContext(),
                            Duration.ZERO));
                    await().until(() -> OrdersKt.collect(orders).join() != null);
                    assertThat(OrdersKt.collect(orders).join()).isEqualTo("leader:billing");
                });
    }

    @Test
    void locksPartsOfAFunction() {
        run((calls, locks) -> assertThat(calls.programmatically().join()).isEqualTo("shipped under order:42, true"));
    }

    @Test
    void startFailsIfASkippedCallNeedsAResult() {
        application.withBean(CertainOrders.class).run(context -> assertThat(context)
                .getFailure()
                .rootCause()
                .hasMessageContaining("a skipped call has no result, and the method returns a non-null String"));
    }

    @Test
    void startFailsIfTheFallbackReturnsAnotherType() {
        application.withBean(BadFallback.class).run(context -> assertThat(context)
                .getFailure()
                .rootCause()
                .hasMessageContaining("0 other methods of that name"));
    }
}
