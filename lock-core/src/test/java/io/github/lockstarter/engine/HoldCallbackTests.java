package io.github.lockstarter.engine;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.engine.settings.EngineClock;
import io.github.lockstarter.engine.settings.EngineSettings;
import io.github.lockstarter.local.LocalLockBackend;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Callbacks of nested entries, each of which may register one. */
class HoldCallbackTests {

    private static final LockRequest REQUEST = LockRequest.of("order:42");
    private static final int NESTED = 4_000;

    /** Measured: about 300, or 17,000 if each registration copies those before. */
    private static final long MOST_BYTES = 1_000;

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private final LockEngine engine =
            new LockEngine(new LocalLockBackend(), EngineSettings.DEFAULTS, List.of(), EngineClock.SYSTEM);

    @AfterEach
    void stop() {
        engine.close();
    }

    @Test
    void eachRegistrationCostsTheSame() {
        List<LockHandle> entered = new ArrayList<>();
        entered.add(engine.acquire(REQUEST));
        long before = threads.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < NESTED; i++) {
            LockHandle nested = engine.acquire(REQUEST);
            nested.onLost(() -> {});
            entered.add(nested);
        }
        long allocated = threads.getCurrentThreadAllocatedBytes() - before;
        entered.forEach(LockHandle::release);

        assertThat(allocated / NESTED).as("bytes per entry").isPositive().isLessThan(MOST_BYTES);
    }
}
