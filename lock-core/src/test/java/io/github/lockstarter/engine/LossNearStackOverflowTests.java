package io.github.lockstarter.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.engine.settings.EngineClock;
import io.github.lockstarter.engine.settings.EngineSettings;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.local.LocalLockBackend;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A loss that a thread detects when its stack is nearly full. */
@Timeout(180)
class LossNearStackOverflowTests {

    private static final int THREADS = 8;
    private static final long STACK_BYTES = 256 * 1024;
    private static final long LEASE_NANOS = EngineSettings.DEFAULTS.lease().toNanos();

    private final AtomicInteger losses = new AtomicInteger();
    private final AtomicInteger callbacks = new AtomicInteger();
    private final LockEngine engine = new LockEngine(
            new LocalLockBackend(System::nanoTime),
            EngineSettings.DEFAULTS,
            List.of(event -> {
                if (event instanceof LockEvent.Lost) {
                    losses.incrementAndGet();
                }
            }),
            new EngineClock(this::nanos, InstantSource.system()));

    /** Each lease is over for this thread. */
    private volatile Thread late;

    private boolean hasAsked;

    private long nanos() {
        return System.nanoTime() + (Thread.currentThread() == late ? LEASE_NANOS : 0);
    }

    @AfterEach
    void stop() {
        engine.close();
    }

    @Test
    void reportsALossThatIsFoundAtTheEndOfTheStack() throws Exception {
        findLoss(0, 0); // loads the classes
        for (int number = 1; number <= THREADS; number++) {
            findLoss(number, Integer.MAX_VALUE);
        }

        await().untilAsserted(() -> assertThat(callbacks).hasValue(THREADS + 1));
        await().untilAsserted(() -> assertThat(losses).hasValue(THREADS + 1));
        assertThat(engine.heldLocks().size()).isZero();
        assertThat(engine.drain()).succeedsWithin(Patience.SECONDS, TimeUnit.SECONDS);
    }

    private void findLoss(int number, int levels) throws InterruptedException {
        LockHandle held =
                engine.acquire(LockRequest.of("order:" + number).ownedByHandle().withoutRenewal());
        held.onLost(callbacks::incrementAndGet);
        hasAsked = false;
        Thread thread = new Thread(null, () -> descend(held, levels, number), "overflow-" + number, STACK_BYTES);
        late = thread;
        thread.start();
        thread.join();
        assertThat(hasAsked).isTrue();
    }

    /** Each returning level checks with a little more stack, until one gets an answer. */
    private int descend(LockHandle held, int levels, int number) {
        if (levels == 0) {
            ask(held);
            return 0;
        }
        try {
            return number + descend(held, levels - 1, number);
        } catch (StackOverflowError e) {
            return 0;
        } finally {
            if (!hasAsked) {
                ask(held);
            }
        }
    }

    private void ask(LockHandle held) {
        try {
            held.isHeld();
            hasAsked = true;
        } catch (StackOverflowError e) {
            // The next level has more stack.
        }
    }
}
