package io.github.lockstarter.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockNotAcquiredException;
import io.github.lockstarter.LockOperations;
import io.github.lockstarter.leader.LeaderOnly;
import io.github.lockstarter.test.OrderApplication.Orders;
import java.util.Optional;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;

/** Nothing ever listens on the discard port: none of these tests could connect to Redis. */
class AutoConfigureTestLocksTests {

    @Nested
    @SpringBootTest(
            classes = OrderApplication.class,
            properties = {"spring.data.redis.port=9", "distributed-lock.backend=redis"})
    @AutoConfigureTestLocks
    class InAnApplicationOnRedis {

        @Autowired
        private Orders orders;

        @Autowired
        private LockOperations locks;

        @Test
        void locksWithoutRedis() {
            assertThat(orders.ship(42)).isPositive();
            assertThat(orders.cancel(42)).isEqualTo("cancelled 42");
        }

        @Test
        void refusesALockThatAnotherOwnerHolds() {
            try (LockHandle other = locks.acquireAsync("order:42").join()) {
                assertThat(other.isHeld()).isTrue();
                assertThatThrownBy(() -> orders.ship(42)).isInstanceOf(LockNotAcquiredException.class);
            }
        }
    }

    /** As {@code @DataJpaTest} and similar: only some auto-configurations, without the one of the locks. */
    @Nested
    @SpringBootTest(classes = {Orders.class, Collector.class})
    @AutoConfigureTestLocks
    class InASlice {

        @Autowired
        private Orders orders;

        @Autowired
        private Collector collector;

        @Test
        void locks() {
            assertThat(orders.ship(42)).isPositive();
        }

        @Test
        void leads() {
            await().until(() -> collector.collect().isPresent());
        }
    }

    static class Collector {

        @LeaderOnly("billing")
        public Optional<String> collect() {
            return Optional.of("collected");
        }
    }

    @Nested
    @SpringBootTest(classes = OrderApplication.class, properties = "spring.data.redis.port=9")
    @AutoConfigureTestLocks
    class WithANestedTest {

        @Nested
        class OfItsOwn {

            @Test
            void locksInANestedTestClass(@Autowired Orders orders) {
                assertThat(orders.ship(42)).isPositive();
            }
        }
    }
}
