package io.github.lockstarter.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockOperations;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.ReleaseOutcome;
import io.github.lockstarter.kit.redis.RedisServer;
import io.github.lockstarter.test.AutoConfigureTestLocks.Store;
import io.github.lockstarter.test.OrderApplication.Orders;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.data.redis.core.RedisCallback;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

/** A suite that flushes Redis between its tests. Without {@code UNGUARDED_REDIS}, only the first of them passes. */
@SpringBootTest(classes = OrderApplication.class)
@AutoConfigureTestLocks(Store.UNGUARDED_REDIS)
class FlushedRedisIT {

    /** Ends with the JVM, as the cached context does. */
    private static final RedisServer REDIS = RedisServer.start();

    private static long lastToken;

    @Autowired
    private Orders orders;

    @Autowired
    private LockOperations locks;

    @Autowired
    private StringRedisTemplate redis;

    @DynamicPropertySource
    static void whereRedisIs(DynamicPropertyRegistry properties) {
        properties.add("spring.data.redis.host", () -> "127.0.0.1");
        properties.add("spring.data.redis.port", REDIS::port);
        properties.add("distributed-lock.redis.command-timeout", () -> "20s"); // for busy machines
    }

    @AfterEach
    void flush() {
        redis.execute((RedisCallback<Void>) connection -> {
            connection.serverCommands().flushAll();
            return null;
        });
    }

    @RepeatedTest(5)
    void locksAgainInEachTest() {
        long token = orders.ship(42);

        assertThat(token).isGreaterThan(lastToken);
        lastToken = token;
        try (LockHandle lock = locks.acquire("order:42")) {
            lock.ensureHeld();
            assertThat(redis.hasKey("lock:{order:42}")).isTrue();
        }
    }

    @Test
    void aFlushLosesHeldLocks() {
        LockRequest request = LockRequest.of("order:42");
        LockHandle held = locks.acquire(request);

        flush();

        assertThatThrownBy(() -> held.extend(request)).isInstanceOf(LockLostException.class);
        assertThat(held.isHeld()).isFalse();
        assertThat(held.release()).isEqualTo(ReleaseOutcome.LOST);
    }
}
