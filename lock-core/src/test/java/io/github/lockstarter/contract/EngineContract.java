package io.github.lockstarter.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.engine.settings.EngineSettings;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.spi.LockBackend;
import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.ReleaseCommand;
import io.github.lockstarter.testing.WarmUp;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;

/** Base of the suites for the engine: two applications on one store, and threads. */
@Timeout(60)
abstract class EngineContract {

    /** Ends within a test. */
    static final Duration SHORT_LEASE = Duration.ofMillis(300);

    /** For locks that are renewed or lost. */
    static final Duration LEASE = Duration.ofMillis(600);

    /** For locks that must be kept, even if the machine pauses. */
    static final Duration KEPT_LEASE = Duration.ofMillis(1800);

    /** Allowance for the report of a loss on a busy machine. */

    /** The first acquisition loads classes, which takes longer than a short lease. */
    private static final AtomicBoolean LOADED = new AtomicBoolean();

    final String key = "contract:" + UUID.randomUUID();
    final LockRequest request = LockRequest.of(key);
    private final Supplier<? extends LockStore> opening;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final List<Application> applications = new ArrayList<>();
    LockStore store;
    Application first;
    Application second;

    EngineContract(Supplier<? extends LockStore> opening) {
        this.opening = opening;
    }

    @BeforeEach
    void startTwoApplications() {
        store = opening.get();
        if (LOADED.compareAndSet(false, true)) {
            Application warmUp = newApplication(Application.SETTINGS);
            WarmUp.connect(warmUp.locks(), key + ":warm-up");
            warmUp.close();
        }
        first = newApplication(Application.SETTINGS);
        second = newApplication(Application.SETTINGS);
    }

    @AfterEach
    void closeAll() {
        threads.shutdownNow();
        applications.forEach(Application::close);
        store.close();
    }

    Application newApplication(EngineSettings settings) {
        LockBackend backend = store.connect();
        Application application = Application.over(backend, settings);
        applications.add(application);
        // Connecting takes time, and a short lease would count from before it.
        LockToken nobody = new LockToken(UUID.randomUUID().toString().replace("-", ""), 1);
        backend.release(ReleaseCommand.endOfWait("warm-up", nobody))
                .toCompletableFuture()
                .join();
        return application;
    }

    <T> Future<T> elsewhere(Callable<T> work) {
        return threads.submit(work);
    }

    static <T> T resultOf(Future<T> future) throws Exception {
        return future.get(Patience.SECONDS, TimeUnit.SECONDS);
    }

    /** Waits until an application has reported this many waits for the lock. */
    void awaitWaiters(Application application, int number) {
        await().atMost(Patience.TIME)
                .untilAsserted(() -> assertThat(application.events().of(LockEvent.Contended.class))
                        .hasSize(number));
    }

    /** A third application can acquire the lock at once. */
    void assertFree() {
        Application stranger = newApplication(Application.SETTINGS);
        Optional<LockHandle> handle = stranger.locks().tryAcquire(request);
        assertThat(handle).as("a hold of the free lock").isPresent();
        handle.get().close();
        stranger.close();
    }

    void assertHeldByAnother(Application asking) {
        assertThat(asking.locks().tryAcquire(request)).isEmpty();
    }

    void assertStaysHeld(LockHandle held, Duration time) {
        await().during(time).atMost(Patience.TIME).untilAsserted(() -> {
            assertThat(held.isHeld()).isTrue();
            assertHeldByAnother(second);
        });
    }

    static Duration timeOf(Runnable work) {
        long start = System.nanoTime();
        work.run();
        return Duration.ofNanos(System.nanoTime() - start);
    }
}
