package io.github.lockstarter.sample;

import static org.awaitility.Awaitility.await;

import io.github.lockstarter.HeldLocks;
import io.github.lockstarter.LockOperations;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.kit.net.FreePort;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import org.junit.jupiter.api.BeforeEach;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

/** The application with a Redis of its own; all tests share it. */
@SpringBootTest(
        webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
        properties = {
            // For busy machines.
            "spring.data.redis.timeout=20s",
            "distributed-lock.redis.command-timeout=20s",
            "distributed-lock.max-wait=60s",
            "sample.orders.carrier-time=50ms",
            "sample.orders.label-time=50ms",
            "sample.jobs.report-cron=-",
            "sample.jobs.report-time=50ms",
            "sample.jobs.index-time=4s",
            "sample.jobs.archive-time=1h",
            "sample.prices.price-time=300ms",
            "sample.jobs.reminder-delay=100ms"
        })
public abstract class RunningSample {

    @Autowired
    protected StringRedisTemplate redis;

    @Autowired
    protected LockOperations locks;

    protected SampleClient client;

    @Value("${local.server.port}")
    private int port;

    @DynamicPropertySource
    static void redisOfItsOwn(DynamicPropertyRegistry registry) {
        registry.add("spring.data.redis.port", FreePort::next);
    }

    @BeforeEach
    void connect() {
        client = new SampleClient(port);
    }

    /** Waits until this application holds that lock. */
    protected void awaitHeld(String key) {
        awaitHeld(key, new CompletableFuture<>());
    }

    /** Or that the work under the lock has ended. */
    protected void awaitHeld(String key, Future<?> work) {
        HeldLocks held = locks.heldLocks();
        await().atMost(Patience.TIME).until(() -> held.find(key).isPresent() || work.isDone());
    }
}
