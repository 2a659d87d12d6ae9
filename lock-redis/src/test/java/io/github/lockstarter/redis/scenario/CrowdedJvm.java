package io.github.lockstarter.redis.scenario;

import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockTemplate;
import io.github.lockstarter.kit.Patience;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordingFile;

/**
 * A JVM with many threads, virtual ones if available, that take turns with the locks of some keys. Prints how many
 * sections there were, and how often a thread blocked the others.
 */
final class CrowdedJvm {

    private static final String PINNED = "jdk.VirtualThreadPinned";

    private final int threads;
    private final int[] unguarded;

    private CrowdedJvm(int threads, int keys) {
        this.threads = threads;
        this.unguarded = new int[keys];
    }

    /**
     * Runs.
     *
     * @param arguments port, prefix of the keys, how many threads, how many keys
     */
    public static void main(String[] arguments) throws Exception {
        LockTemplate locks = ChildClient.locks(arguments[0], Duration.ofSeconds(60));
        // A thread that loads a class pins its carrier: all of them are loaded by then.
        new CrowdedJvm(100, 1).run(locks, "warm-up");
        CrowdedJvm jvm = new CrowdedJvm(Integer.parseInt(arguments[2]), Integer.parseInt(arguments[3]));
        Path file = Files.createTempFile("pinned", ".jfr");
        try (Recording recording = new Recording()) {
            recording.enable(PINNED).withThreshold(Duration.ofMillis(5)).withStackTrace();
            recording.start();
            jvm.run(locks, arguments[1]);
            recording.stop();
            recording.dump(file);
        }
        System.out.println("had the lock: " + IntStream.of(jvm.unguarded).sum() + ", pinned: " + pinnedIn(file));
        Files.delete(file);
        System.exit(0);
    }

    private static long pinnedIn(Path recording) throws Exception {
        return RecordingFile.readAllEvents(recording).stream()
                .filter(event -> event.getEventType().getName().equals(PINNED))
                .filter(event -> String.valueOf(event.getStackTrace()).contains("io.github.lockstarter"))
                .count();
    }

    private void run(LockTemplate locks, String prefix) throws Exception {
        ExecutorService perTask = perTaskExecutor();
        try {
            List<Future<Integer>> done = IntStream.range(0, threads)
                    .mapToObj(i -> perTask.submit(() -> takeTurn(locks, prefix, i % unguarded.length)))
                    .toList();
            for (Future<Integer> one : done) {
                one.get(Patience.SECONDS, TimeUnit.SECONDS);
            }
        } finally {
            perTask.shutdown();
        }
    }

    private int takeTurn(LockTemplate locks, String prefix, int key) {
        try (LockHandle lock = locks.acquire(LockRequest.of(prefix + key).maxWait(Patience.TIME))) {
            lock.ensureHeld();
            return ++unguarded[key];
        }
    }

    /** JDK 17 compiles this. */
    private static ExecutorService perTaskExecutor() throws ReflectiveOperationException {
        if (Runtime.version().feature() < 21) {
            return Executors.newCachedThreadPool();
        }
        return (ExecutorService)
                Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
    }
}
