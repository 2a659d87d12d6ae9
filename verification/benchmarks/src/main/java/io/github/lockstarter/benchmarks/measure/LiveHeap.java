package io.github.lockstarter.benchmarks.measure;

import java.lang.management.ManagementFactory;
import java.util.concurrent.TimeUnit;

/** The heap of this JVM without garbage. */
public final class LiveHeap {

    private static final int COLLECTIONS = 3;

    private LiveHeap() {}

    /**
     * Collects garbage, then looks.
     *
     * @return bytes
     * @throws InterruptedException when interrupted
     */
    public static long bytes() throws InterruptedException {
        for (int i = 0; i < COLLECTIONS; i++) {
            System.gc();
            TimeUnit.MILLISECONDS.sleep(100); // cleaners and references run after a collection
        }
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }
}
