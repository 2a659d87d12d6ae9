package io.github.lockstarter.benchmarks.measure;

import java.lang.management.ManagementFactory;
import java.util.concurrent.TimeUnit;

/** The heap in use. */
public final class LiveHeap {

    private static final int COLLECTIONS = 3;

    private LiveHeap() {}

    /** Bytes in use after garbage collection. */
    public static long bytes() throws InterruptedException {
        for (int i = 0; i < COLLECTIONS; i++) {
            System.gc();
            TimeUnit.MILLISECONDS.sleep(100); // cleaners and references run after a collection
        }
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }
}
