package io.github.lockstarter.autoconfigure.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockAdmin;
import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockListener;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockTemplate;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.kit.redis.RedisExtension;
import io.github.lockstarter.redis.RedisLockBackend;
import io.github.lockstarter.redis.connector.RedisConnector.Target;
import io.github.lockstarter.redis.connector.RedisConnectors;
import io.github.lockstarter.redis.settings.RedisSettings;
import io.github.lockstarter.redis.settings.RedisSetup;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.Transports;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.local.LocalIoHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.concurrent.DefaultEventExecutorGroup;
import io.netty.util.concurrent.EventExecutorGroup;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;
import reactor.core.scheduler.Schedulers;

/**
 * No thread of the application delays another thread's lock or a renewal. The test blocks one kind of thread after the
 * other, each after a blocking use of a lock, and none continues before the end.
 */
@Timeout(300)
class BlockedThreadsIT {

    private static final String LISTENED = "listened";

    @RegisterExtension
    static final RedisExtension REDIS = new RedisExtension();

    private final CountDownLatch end = new CountDownLatch(1);
    private final AtomicInteger renewals = new AtomicInteger();
    private final AtomicInteger blocked = new AtomicInteger();
    private final ExecutorService testThreads = Executors.newCachedThreadPool();
    private final Thread testThread = Thread.currentThread();

    /** The stage was complete before the test could add a further one. */
    private boolean ranHere;

    private LockTemplate locks;

    /** Listens on a thread of its own, as each bean does. */
    private final LockListener listener = new LockListener() {
        @Override
        public void onEvent(LockEvent event) {
            if (event instanceof LockEvent.Acquired && event.key().equals(LISTENED)) {
                block();
            }
        }
    };

    private final LockListener counting = new LockListener() {
        @Override
        public void onEvent(LockEvent event) {
            if (event instanceof LockEvent.Renewed renewed
                    && renewed.outcome() == LockEvent.RenewalOutcome.RENEWED
                    && event.key().equals("held")) {
                renewals.incrementAndGet();
            }
        }
    };

    @Test
    void noThreadOfTheApplicationDelaysALockOfAnother() {
        RedisApplication.on(REDIS.server())
                .withBean("blocking", LockListener.class, () -> listener)
                .withBean("counting", LockListener.class, () -> counting)
                .withPropertyValues("distributed-lock.lease=15s") // renewed after 5 s
                .run(this::blockEachKind);
    }

    /** The locks' client with the threads of the application's. */
    @Configuration(proxyBeanMethods = false)
    static class OnThreadsOfTheApplication {

        @Bean
        RedisLockBackend backend(ClientResources application) {
            RedisClient client = RedisClient.create(application, REDIS.server().uri());
            client.setOptions(RedisSettings.DEFAULTS.tune(ClientOptions.create()));
            Target target = new Target("the server", false, RedisSetup.APPLICATION);
            return new RedisLockBackend(
                    RedisConnectors.toServer(client, target, client::shutdown), RedisSettings.DEFAULTS);
        }
    }

    @Test
    void theCheckFindsLocksOnTheEventLoopsOfTheApplication() {
        RedisApplication.on(REDIS.server())
                .withUserConfiguration(OnThreadsOfTheApplication.class)
                .run(application -> {
                    locks = application.getBean(LockTemplate.class);
                    locks.acquire("connected").close();
                    eventLoops(application).forEach(loop -> loop.execute(this::awaitEnd));
                    CompletableFuture<LockHandle> acquired = locks.acquireAsync(LockRequest.of("free"));
                    assertThatThrownBy(() -> acquired.get(Patience.MOMENT_MILLIS, TimeUnit.MILLISECONDS))
                            .isInstanceOf(TimeoutException.class);
                    end.countDown();
                });
    }

    private void blockEachKind(ApplicationContext application) throws Exception {
        locks = application.getBean(LockTemplate.class);
        LockHandle held = locks.acquire("held");
        try {
            for (Map.Entry<String, Runnable> kind : kinds(application).entrySet()) {
                int before = blocked.get();
                do {
                    ranHere = false;
                    kind.getValue().run();
                } while (ranHere);
                await(kind.getKey() + ": a lock can be used on this thread")
                        .atMost(Patience.TIME)
                        .until(() -> blocked.get() > before);
                assertThat(isServed(held)).as("blocked: " + kind.getKey()).succeedsWithin(Patience.TIME);
            }
            int before = renewals.get();
            await("renewal").atMost(Patience.TIME).until(() -> renewals.get() > before);
            held.ensureHeld();
        } finally {
            end.countDown();
            testThreads.shutdown();
        }
        held.close();
    }

    /** Redis is asked for the held lock and another one, and the timer ends a wait. */
    private Future<?> isServed(LockHandle held) {
        return testThreads.submit(() -> {
            held.extend(LockRequest.of("held"));
            locks.acquire("free").close();
            assertThat(locks.acquireAsync(LockRequest.of("held").maxWait(Duration.ofMillis(20))))
                    .failsWithin(Patience.TIME);
            return null;
        });
    }

    private Map<String, Runnable> kinds(ApplicationContext application) {
        ClientResources shared = application.getBean(ClientResources.class);
        ThreadPoolTaskScheduler scheduler = new ThreadPoolTaskScheduler();
        scheduler.setDaemon(true);
        scheduler.initialize();
        Map<String, Runnable> kinds = new LinkedHashMap<>();
        kinds.put("event loop", () -> blockAll(new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory())));
        kinds.put("local event loop", () -> blockAll(new MultiThreadIoEventLoopGroup(1, LocalIoHandler.newFactory())));
        kinds.put("executor for blocking handlers", () -> blockAll(new DefaultEventExecutorGroup(1)));
        kinds.put("event loops of the application's Lettuce", () -> blockAll(eventLoops(application)));
        kinds.put("executors of the application's Lettuce", () -> blockAll(shared.eventExecutorGroup()));
        kinds.put("timer of the application's Lettuce", () -> shared.timer()
                .newTimeout(any -> block(), 0, TimeUnit.MILLISECONDS));
        kinds.put("parallel scheduler of Reactor", () -> {
            for (int i = 0; i < Schedulers.DEFAULT_POOL_SIZE; i++) {
                Schedulers.parallel().schedule(this::block);
            }
        });
        kinds.put("common pool", () -> {
            for (int i = 0; i <= ForkJoinPool.getCommonPoolParallelism(); i++) {
                ForkJoinPool.commonPool().execute(this::block);
            }
        });
        kinds.put("scheduler of Spring", () -> scheduler.schedule(this::block, Instant.now()));
        kinds.put("callback of a loss", this::blockAtALoss);
        kinds.put("listener", () -> locks.acquire(LISTENED).close());
        kinds.put("stage of acquireAsync", () -> locks.acquireAsync(LockRequest.of("async"))
                .thenAccept(handle -> {
                    block();
                    handle.close();
                }));
        kinds.put(
                "body of executeAsync",
                () -> locks.executeAsync("body", () -> {
                    block();
                    return CompletableFuture.completedFuture("done");
                }));
        kinds.put(
                "stage of executeAsync", () -> locks.executeAsync("stage", () -> CompletableFuture.completedFuture(""))
                        .thenAccept(this::block));
        LockAdmin admin = application.getBean(LockAdmin.class);
        kinds.put("stage of an inspection", () -> admin.inspect("held", 0).thenAccept(this::block));
        kinds.put("stage of the store's state", () -> admin.storeState().thenAccept(this::block));
        kinds.put("stage of a revocation", () -> admin.revoke("nobody's", 0, 1).thenAccept(this::block));
        return kinds;
    }

    private void blockAtALoss() {
        LockHandle lost = locks.acquire("lost");
        lost.onLost(this::block);
        REDIS.server().commands().del("lock:{lost}");
        testThreads.submit(() -> lost.extend(LockRequest.of("lost")));
    }

    private static EventExecutorGroup eventLoops(ApplicationContext application) {
        return application
                .getBean(ClientResources.class)
                .eventLoopGroupProvider()
                .allocate(Transports.eventLoopGroupClass());
    }

    private void blockAll(EventExecutorGroup threads) {
        threads.forEach(thread -> thread.execute(this::block));
    }

    private void block(Object result) {
        block();
    }

    private void block() {
        if (Thread.currentThread() == testThread) {
            ranHere = true;
            return;
        }
        locks.acquire("used on " + Thread.currentThread().getName()).close();
        blocked.incrementAndGet();
        awaitEnd();
    }

    private void awaitEnd() {
        try {
            end.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
