package io.github.lockstarter.redis.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockBackendException;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.ReleaseOutcome;
import io.github.lockstarter.contract.Application;
import io.github.lockstarter.engine.settings.EngineSettings;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.kit.net.TcpProxy;
import io.github.lockstarter.kit.redis.RedisExtension;
import io.github.lockstarter.kit.redis.RedisServer;
import io.github.lockstarter.redis.contract.RedisStore;
import io.github.lockstarter.redis.settings.RedisSettings;
import io.github.lockstarter.testing.WarmUp;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Common parts of the scenarios on a real server: the server, applications connected to it, and access to its keys. */
@Timeout(300)
public abstract class RedisScenario {

    @RegisterExtension
    static final RedisExtension REDIS = new RedisExtension();

    /** Longer than any wait of a scenario: a lock that disappears earlier has not expired. */
    public static final Duration LONG_LEASE = Duration.ofMinutes(5);

    final String key = "scenario:" + UUID.randomUUID();
    final String lockKey = "lock:{" + key + "}";
    final String waitersKey = lockKey + ":waiters";
    final LockRequest request = LockRequest.of(key);
    private final Deque<AutoCloseable> resources = new ArrayDeque<>();
    private final ExecutorService threads = Executors.newCachedThreadPool();

    @AfterEach
    void closeAll() throws Exception {
        REDIS.server().resume();
        threads.shutdownNow();
        while (!resources.isEmpty()) {
            resources.pop().close();
        }
    }

    static RedisServer server() {
        return REDIS.server();
    }

    static RedisCommands<String, String> redis() {
        return REDIS.server().commands();
    }

    /** {@link RedisStore#HASTY} in a scenario about commands without an answer. */
    RedisSettings settings() {
        return RedisStore.SETTINGS;
    }

    TcpProxy newProxy() {
        TcpProxy proxy = TcpProxy.before(server());
        resources.push(proxy);
        return proxy;
    }

    Application newApplication() {
        return newApplication(store(), Application.settings(LONG_LEASE));
    }

    Application newApplicationThatTrustsSignals() {
        return newApplication(store(), Application.settingsThatTrustSignals());
    }

    Application newApplicationBehind(TcpProxy proxy) {
        return newApplicationBehind(proxy, Application.settings(LONG_LEASE));
    }

    Application newApplicationBehind(TcpProxy proxy, EngineSettings settings) {
        return newApplication(RedisStore.behind(proxy).with(settings()), settings);
    }

    /** An application for which an answer is soon lost. */
    Application newHastyApplicationBehind(TcpProxy proxy) {
        return newApplication(RedisStore.behind(proxy).with(RedisStore.HASTY), Application.settings(LONG_LEASE));
    }

    /** The same without a proxy. */
    Application newHastyApplication() {
        return newApplication(new RedisStore(server().uri()).with(RedisStore.HASTY), Application.settings(LONG_LEASE));
    }

    Application newApplication(EngineSettings settings) {
        return newApplication(store(), settings);
    }

    private RedisStore store() {
        return new RedisStore(server().uri()).with(settings());
    }

    Application newApplication(RedisStore store, EngineSettings settings) {
        Application application = Application.over(store.connect(), settings);
        resources.push(store);
        resources.push(application);
        return application;
    }

    <T> Future<T> elsewhere(Callable<T> work) {
        return threads.submit(work);
    }

    static <T> T resultOf(Future<T> future) throws Exception {
        return future.get(Patience.SECONDS, TimeUnit.SECONDS);
    }

    static Duration timeOf(Runnable work) {
        long start = System.nanoTime();
        work.run();
        return Duration.ofNanos(System.nanoTime() - start);
    }

    /** Repeats an attempt whose answer is lost because the machine is busy. */
    static LockHandle acquired(Application hasty, LockRequest request) {
        return await().pollInSameThread()
                .ignoreExceptionsInstanceOf(LockBackendException.class)
                .until(() -> hasty.locks().acquire(request), any -> true);
    }

    /** Connects, so that a fault meets an application that works. */
    static Application warmedUp(Application application) {
        WarmUp.connect(application.locks(), "warm-up:" + UUID.randomUUID());
        return application;
    }

    /** Connects, and waits until its locks may be taken over. */
    static Application takingPart(Application application) {
        warmedUp(application).awaitTakeover();
        return application;
    }

    /** As soon as commands are answered again, the held lock is extended, and another one granted. */
    public static void assertWorksAgain(Application application, LockHandle held, Duration lease) {
        await().atMost(Patience.TIME)
                .ignoreExceptionsInstanceOf(LockBackendException.class)
                .until(() -> {
                    held.extend(LockRequest.of(held.key()).lease(lease));
                    LockRequest another =
                            LockRequest.of("another:" + UUID.randomUUID()).withoutWaiting();
                    return application
                            .locks()
                            .tryAcquire(another)
                            .map(LockHandle::release)
                            .isPresent();
                });
        held.ensureHeld();
        assertThat(held.release()).isEqualTo(ReleaseOutcome.RELEASED);
    }

    /** The last moment at which the holder was certain before the future was done; 0 if there was none. */
    static long lastTimeHeldUntil(Future<?> done, LockHandle held) {
        long last = 0;
        while (!done.isDone()) {
            long now = System.nanoTime();
            last = held.isHeld() ? now : last;
            LockSupport.parkNanos(50_000); // leaves processor time to the code under test
        }
        return last;
    }

    /** Polls as often as a test needs, and leaves processor time to the code under test. */
    static void pauseBetweenLooks() {
        LockSupport.parkNanos(2_000_000);
    }

    /** Since the counters of the server were reset. */
    static long scriptCalls() {
        String stats = server().info("commandstats").getOrDefault("cmdstat_evalsha", "calls=0,");
        return Long.parseLong(stats.substring("calls=".length(), stats.indexOf(',')));
    }

    void awaitWaiting() {
        await().untilAsserted(() -> assertThat(redis().zcard(waitersKey)).isPositive());
    }

    void assertNothingLeft() {
        await().untilAsserted(this::hasNothingLeft);
    }

    void hasNothingLeft() {
        assertThat(redis().exists(lockKey)).as("the lock").isZero();
        assertThat(redis().zcard(waitersKey)).as("the waiters").isZero();
    }

    /** Of all locks, and not of this scenario's alone. */
    static void assertOnlyFencesLeft(RedisServer server) {
        await().untilAsserted(() -> hasOnlyFencesLeft(server));
    }

    static void hasOnlyFencesLeft(RedisServer server) {
        assertThat(server.commands().keys("lock:*"))
                .allMatch(left -> left.equals("lock:fence") || left.startsWith("lock:history"));
    }

    /** Choices that can be repeated with {@code -Dlock.test.seed}; the seed is printed. */
    public static Random seeded(String what) {
        long seed = Long.getLong("lock.test.seed", System.nanoTime());
        System.out.println("Seed of " + what + ": " + seed);
        return new Random(seed);
    }

    /** Seeds of the runs of a test: one, unless {@code -Dlock.test.seeds} sets the number. */
    static LongStream seeds() {
        return seeded("the runs").longs(Integer.getInteger("lock.test.seeds", 1));
    }

    public static void letPass(Duration time) {
        await().pollDelay(time).atMost(time.plus(Patience.TIME)).until(() -> true);
    }
}
