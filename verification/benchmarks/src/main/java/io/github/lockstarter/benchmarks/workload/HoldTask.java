package io.github.lockstarter.benchmarks.workload;

import com.sun.management.OperatingSystemMXBean;
import io.github.lockstarter.benchmarks.client.ClientKind;
import io.github.lockstarter.benchmarks.client.LockClient;
import io.github.lockstarter.benchmarks.jvm.ChildTask;
import io.github.lockstarter.benchmarks.measure.LiveHeap;
import io.github.lockstarter.benchmarks.measure.Measurement;
import io.github.lockstarter.benchmarks.measure.Metric;
import io.github.lockstarter.benchmarks.server.Addresses;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A JVM that only holds locks. */
public final class HoldTask implements ChildTask {

    static final String OPEN = "open";
    static final String ACQUIRE = "acquire";
    static final String HOLD = "hold";
    static final String HEAP = "heap";
    static final String RELEASE = "release";

    private static final int WARM_UP = 2_000;
    private static final OperatingSystemMXBean SYSTEM =
            ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private @Nullable LockClient client;
    private @Nullable ManyHolds held;
    private int locks;
    private int threadsBefore;
    private long heapBefore;

    public HoldTask() {}

    @Override
    public String answer(String... words) throws Exception {
        return switch (words[0]) {
            case OPEN -> open(Addresses.parse(words[1]), ClientKind.of(words[2]));
            case ACQUIRE -> acquire(Integer.parseInt(words[1]));
            case HOLD -> hold(Long.parseLong(words[1]));
            case HEAP -> Double.toString((double) (LiveHeap.bytes() - heapBefore) / locks);
            case RELEASE -> Long.toString(Objects.requireNonNull(held).release());
            default -> throw new IllegalArgumentException(words[0]);
        };
    }

    /** Parses the answer to {@value #HOLD}. */
    static Measurement parse(String answer) {
        String[] figures = answer.split(" ", -1);
        return Measurement.EMPTY
                .with(Metric.CPU, Double.parseDouble(figures[0]))
                .with(Metric.MORE_THREADS, Double.parseDouble(figures[1]));
    }

    private String open(Addresses addresses, ClientKind kind) throws InterruptedException {
        LockClient opened = kind.open(addresses);
        client = opened;
        ManyHolds.acquire(opened, WARM_UP).release();
        threadsBefore = THREADS.getThreadCount();
        heapBefore = LiveHeap.bytes();
        return "open";
    }

    private String acquire(int count) throws InterruptedException {
        locks = count;
        held = ManyHolds.acquire(Objects.requireNonNull(client), count);
        return "acquired";
    }

    private String hold(long nanos) throws InterruptedException {
        THREADS.resetPeakThreadCount();
        long cpu = SYSTEM.getProcessCpuTime();
        long start = System.nanoTime();
        TimeUnit.NANOSECONDS.sleep(nanos);
        double seconds = (System.nanoTime() - start) / 1e9;
        double millisPerSecond = (SYSTEM.getProcessCpuTime() - cpu) / 1e6 / seconds;
        return millisPerSecond + " " + (THREADS.getPeakThreadCount() - threadsBefore);
    }
}
