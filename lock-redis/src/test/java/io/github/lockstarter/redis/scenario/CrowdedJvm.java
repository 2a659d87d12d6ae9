package io.github.lockstarter.redis.scenario;

import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockTemplate;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.testing.WarmUp;
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
 * A JVM with many threads, virtual ones if available, that take turns with a lock. Prints how many threads blocked the
 * others.
 */
final class CrowdedJvm {

    static final int THREADS = 500;

    private static final String PINNED = "jdk.VirtualThreadPinned";

    private final int[] unguarded = new int[1];

    private CrowdedJvm() {}

    /**
     * Runs.
     *
     * @param arguments port, key
     */
    public static void main(String[] arguments) throws Exception {
        LockTemplate locks = ChildClient.locks(arguments[0], Duration.ofSeconds(60));
        WarmUp.connect(locks, "warm-up");
        // A thread that loads a class pins its carrier: all of them are loaded by then.
        new CrowdedJvm().run(locks, LockRequest.of("warm-up").waitingUpTo(Duration.ofSeconds(10)));
        CrowdedJvm jvm = new CrowdedJvm();
        Path file = Files.createTempFile("pinned", ".jfr");
        try (Recording recording = new Recording()) {
            recording.enable(PINNED).withThreshold(Duration.ofMillis(5)).withStackTrace();
            recording.start();
            jvm.run(locks, LockRequest.of(arguments[1]).waitingUpTo(Duration.ofSeconds(10)));
            recording.stop();
            recording.dump(file);
        }
        System.out.println("had the lock: " + jvm.unguarded[0] + ", pinned: " + pinnedIn(file));
        System.exit(0);
    }

    private static long pinnedIn(Path recording) throws Exception {
        return RecordingFile.readAllEvents(recording).stream()
                .filter(event -> event.getEventType().getName().equals(PINNED))
                .filter(event -> String.valueOf(event.getStackTrace()).contains("io.github.lockstarter"))
                .count();
    }

    private void run(LockTemplate locks, LockRequest request) throws Exception {
        ExecutorService threads = perTaskExecutor();
        try {
            List<Future<Integer>> done = IntStream.range(0, THREADS)
                    .mapToObj(i -> threads.submit(() -> {
                        try (LockHandle lock = locks.acquire(request)) {
                            lock.ensureHeld();
                            return ++unguarded[0];
                        }
                    }))
                    .toList();
            for (Future<Integer> one : done) {
                one.get(Patience.SECONDS, TimeUnit.SECONDS);
            }
        } finally {
            threads.shutdown();
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
