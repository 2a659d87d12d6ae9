package io.github.lockstarter.redis.scenario;

import io.github.lockstarter.LockBackendException;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockTemplate;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;

/**
 * A JVM with far more virtual threads than carriers, which compete for the locks of a few keys. Prints the number of
 * completed sections and the locks held afterwards, or reports that threads are stuck.
 */
final class VirtualCrowdJvm {

    static final int THREADS = 5_000;
    static final int KEYS = 100;
    static final int SECTIONS_EACH = 2;

    private static final Duration PATIENCE = Duration.ofSeconds(80);

    private final int[] unguarded = new int[KEYS];

    private VirtualCrowdJvm() {}

    /**
     * Runs.
     *
     * @param arguments port, prefix of the keys
     */
    public static void main(String[] arguments) throws Exception {
        LockTemplate locks = ChildClient.locks(arguments[0], Duration.ofSeconds(60));
        VirtualCrowdJvm jvm = new VirtualCrowdJvm();
        ExecutorService threads = (ExecutorService)
                Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null); // JDK 17 compiles this
        List<Future<?>> crowd = IntStream.range(0, THREADS)
                .<Future<?>>mapToObj(thread -> threads.submit(() -> jvm.takeTurns(locks, arguments[1], thread)))
                .toList();
        long end = System.nanoTime() + PATIENCE.toNanos();
        try {
            for (Future<?> each : crowd) {
                each.get(Math.max(0, end - System.nanoTime()), TimeUnit.NANOSECONDS);
            }
        } catch (TimeoutException e) {
            System.out.println("stuck with " + locks.heldLocks().size() + " locks held");
            System.exit(1);
        }
        System.out.println("sections: " + IntStream.of(jvm.unguarded).sum() + ", held: "
                + locks.heldLocks().size());
        System.exit(0);
    }

    private void takeTurns(LockTemplate locks, String prefix, int thread) {
        for (int section = 0; section < SECTIONS_EACH; section++) {
            takeTurn(locks, prefix, (thread + section * 7) % KEYS);
        }
    }

    /** Where the machine is too busy for an answer in time, the thread tries again: this is not about Redis. */
    private void takeTurn(LockTemplate locks, String prefix, int key) {
        while (true) {
            try {
                locks.execute(LockRequest.of(prefix + key).waitingUpTo(PATIENCE), () -> unguarded[key]++);
                return;
            } catch (LockBackendException e) {
                System.out.println("again: " + e.getMessage());
            }
        }
    }
}
