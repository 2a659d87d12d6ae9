package io.github.lockstarter.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockRequest;
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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.io.TempDir;

/** Virtual threads wait for locks without keeping their carriers. */
@EnabledForJreRange(min = JRE.JAVA_21)
class VirtualThreadsIT extends RedisScenario {

    private static final int THREADS = 500;
    private static final String PINNED = "jdk.VirtualThreadPinned";

    private final int[] unguarded = new int[1];

    @Test
    void waitWithoutPinningTheirCarriers(@TempDir Path directory) throws Exception {
        Application application = warmedUp(newApplication());
        Path file = directory.resolve("pinned.jfr");
        try (Recording recording = new Recording()) {
            recording.enable(PINNED).withThreshold(Duration.ofMillis(5)).withStackTrace();
            recording.start();
            runOnVirtualThreads(application);
            recording.stop();
            recording.dump(file);
        }
        assertThat(unguarded[0]).isEqualTo(THREADS);
        assertThat(RecordingFile.readAllEvents(file))
                .filteredOn(event -> String.valueOf(event.getStackTrace()).contains("io.github.lockstarter"))
                .isEmpty();
    }

    private void runOnVirtualThreads(Application application) throws Exception {
        ExecutorService threads = perTaskExecutor();
        try {
            List<Future<Integer>> done = IntStream.range(0, THREADS)
                    .mapToObj(i -> threads.submit(() -> {
                        LockRequest patient = request.waitingUpTo(Duration.ofSeconds(10));
                        try (LockHandle lock = application.locks().acquire(patient)) {
                            assertThat(lock.isHeld()).isTrue();
                            return ++unguarded[0];
                        }
                    }))
                    .toList();
            for (Future<Integer> one : done) {
                one.get(30, TimeUnit.SECONDS);
            }
        } finally {
            threads.shutdown();
        }
    }

    /** JDK 17 compiles this. */
    private static ExecutorService perTaskExecutor() throws ReflectiveOperationException {
        return (ExecutorService)
                Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
    }
}
