package io.github.lockstarter.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.engine.settings.EngineSettings;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.testing.SettableClock;
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
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;

/** Base of the suites for the engine: two applications on one store, and threads. */
@Timeout(300)
abstract class EngineContract {

    /** Outlasts any pause of the machine; ends, or is renewed, when the test lets time {@linkplain #letPass pass}. */
    static final Duration LEASE = Application.PATIENT.lease();

    private static final Duration STEP = LEASE.dividedBy(3);

    final String key = "contract:" + UUID.randomUUID();
    final LockRequest request = LockRequest.of(key);
    private final Supplier<? extends LockStore> opening;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final List<Application> applications = new ArrayList<>();
    private final OpenCommands open = new OpenCommands();
    private SettableClock clock;
    LockStore store;
    Application first;
    Application second;

    EngineContract(Supplier<? extends LockStore> opening) {
        this.opening = opening;
    }

    @BeforeEach
    void startTwoApplications() {
        store = opening.get();
        clock = store.clock().orElseGet(SettableClock::ofThisMachine);
        first = newApplication();
        second = newApplication();
    }

    @AfterEach
    void closeAll() {
        threads.shutdownNow();
        applications.forEach(Application::close);
        store.close();
    }

    Application newApplication() {
        return newApplication(Application.PATIENT);
    }

    Application newApplication(EngineSettings settings) {
        Application application = Application.over(store.connect(), settings, clock.environment(), open);
        applications.add(application);
        return application;
    }

    /** For the leases of the store, and for the applications, while no command is on its way. */
    void letPass(Duration time) {
        Needs.of(store).time();
        open.whenNone(() -> clock.letPass(time));
    }

    /** For the applications, so that a wait ends that blocks no thread. */
    void letWaitPass(Duration wait) {
        clock.letPass(wait);
    }

    /** Lets time pass in steps in which the applications can renew their locks, as they do in real time. */
    void letPassWithRenewals(Duration time) throws Exception {
        Duration left = time;
        while (!left.isZero()) {
            Duration step = left.compareTo(STEP) < 0 ? left : STEP;
            letPass(step);
            clock.settle();
            open.whenNone(() -> {});
            left = left.minus(step);
        }
    }

    <T> Future<T> elsewhere(Callable<T> work) {
        return threads.submit(work);
    }

    static <T> T resultOf(Future<T> future) throws Exception {
        return future.get(Patience.SECONDS, TimeUnit.SECONDS);
    }

    /** Waits until an application has reported this many waits for the lock. */
    void awaitWaiters(Application application, int number) {
        await().untilAsserted(() ->
                assertThat(application.events().of(LockEvent.Contended.class)).hasSize(number));
    }

    /** A third application can acquire the lock at once. */
    void assertFree() {
        Application stranger = newApplication();
        Optional<LockHandle> handle = stranger.locks().tryAcquire(request);
        assertThat(handle).as("a hold of the free lock").isPresent();
        handle.get().close();
        stranger.close();
    }

    void assertHeldByAnother(Application asking) {
        assertThat(asking.locks().tryAcquire(request)).isEmpty();
    }

    /** Held for this time, although the lease ends sooner without renewals. */
    void assertStaysHeld(LockHandle held, Duration time) throws Exception {
        for (Duration left = time; left.compareTo(Duration.ZERO) > 0; left = left.minus(STEP)) {
            letPassWithRenewals(STEP);
            assertThat(held.isHeld()).isTrue();
            assertHeldByAnother(second);
        }
    }

    static Duration timeOf(Runnable work) {
        long start = System.nanoTime();
        work.run();
        return Duration.ofNanos(System.nanoTime() - start);
    }
}
