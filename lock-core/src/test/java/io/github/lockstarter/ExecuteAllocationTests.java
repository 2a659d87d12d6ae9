package io.github.lockstarter;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.github.lockstarter.engine.LockEngine;
import io.github.lockstarter.engine.settings.EngineClock;
import io.github.lockstarter.engine.settings.EngineSettings;
import io.github.lockstarter.local.LocalLockBackend;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Memory that the calling thread allocates for an action under a free lock. */
class ExecuteAllocationTests {

    /**
     * Measured: 2,480, the in-JVM store included, whether the code is compiled or interpreted. An iterator, a stream or
     * a set more on the way adds 30 to 300.
     */
    private static final long MOST_BYTES = 2_496;

    /** More than the in-JVM store keeps, so that it evicts as many as it adds. */
    private static final List<String> KEYS =
            IntStream.range(0, 3_000).mapToObj(number -> "order:" + number).toList();

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private final LockEngine engine =
            new LockEngine(new LocalLockBackend(), EngineSettings.DEFAULTS, List.of(), EngineClock.SYSTEM);
    private final LockTemplate locks = new LockTemplate(engine);

    @AfterEach
    void stop() {
        engine.close();
    }

    @Test
    void executingAllocatesLittleMemory() {
        executeForEachKey(); // loads classes, and links lambdas

        long before = threads.getCurrentThreadAllocatedBytes();
        executeForEachKey();
        long allocated = threads.getCurrentThreadAllocatedBytes() - before;

        assertThat(allocated / KEYS.size()).as("bytes per call").isPositive().isLessThan(MOST_BYTES);
    }

    private void executeForEachKey() {
        for (String key : KEYS) {
            locks.execute(key, () -> key);
        }
    }
}
