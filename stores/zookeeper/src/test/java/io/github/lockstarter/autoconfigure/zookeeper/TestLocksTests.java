package io.github.lockstarter.autoconfigure.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockNotAcquiredException;
import io.github.lockstarter.LockOperations;
import io.github.lockstarter.test.AutoConfigureTestLocks;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.util.ClassUtils;

/** The locks of tests in an application whose only store is ZooKeeper. Nothing listens on the discard port. */
class TestLocksTests {

    static class Orders {

        @DistributedLock(name = "order", key = "#id", maxWaitMs = 100)
        public long ship(long id) {
            return LockHandle.current().map(LockHandle::fencingToken).orElse(0L);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Orders.class)
    static class OrderApplication {}

    @ParameterizedTest
    @ValueSource(
            strings = {
                "io.github.lockstarter.redis.RedisLockBackend",
                "io.lettuce.core.RedisClient",
                "org.springframework.data.redis.connection.RedisConnectionFactory"
            })
    void bringNoRedis(String type) {
        assertThat(ClassUtils.isPresent(type, getClass().getClassLoader())).isFalse();
    }

    @Nested
    @SpringBootTest(
            classes = OrderApplication.class,
            properties = "distributed-lock.zookeeper.connect-string=localhost:9")
    @AutoConfigureTestLocks
    class InAnApplication {

        @Test
        void lockInTheJvm(@Autowired Orders orders, @Autowired LockOperations locks) {
            assertThat(orders.ship(42)).isPositive();
            try (LockHandle other = locks.acquireAsync("order:42").join()) {
                assertThat(other.isHeld()).isTrue();
                assertThatThrownBy(() -> orders.ship(42)).isInstanceOf(LockNotAcquiredException.class);
            }
        }
    }

    @Nested
    @SpringBootTest(classes = Orders.class)
    @AutoConfigureTestLocks
    class InASlice {

        @Test
        void lockInTheJvm(@Autowired Orders orders) {
            assertThat(orders.ship(42)).isPositive();
        }
    }
}
