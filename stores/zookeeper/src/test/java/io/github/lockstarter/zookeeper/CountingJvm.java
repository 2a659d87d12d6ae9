package io.github.lockstarter.zookeeper;

import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.contract.Application;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;

/** Counts in a file, which does not exclude other threads: with the lock or, as a control, without it. */
final class CountingJvm {

    private static final int THREADS = 8;
    private static final long DWELL_NANOS = 200_000;
    private static final Duration LONG = Duration.ofMinutes(2);

    private CountingJvm() {}

    public static void main(String[] arguments) throws Exception {
        boolean locked = Boolean.parseBoolean(arguments[1]);
        Path file = Path.of(arguments[2]);
        int times = Integer.parseInt(arguments[3]);
        try (ZooKeeperLockBackend backend = ZooKeeperClients.backend(arguments[0], Duration.ofSeconds(10));
                Application application = Application.over(backend)) {
            LockRequest request = LockRequest.of("counter").waitingUpTo(LONG);
            ExecutorService threads = Executors.newFixedThreadPool(THREADS);
            List<Future<?>> ends = new ArrayList<>();
            System.out.println("ready");
            for (int i = 0; i < times; i++) {
                ends.add(threads.submit(() -> {
                    if (locked) {
                        try (LockHandle lock = application.locks().acquire(request)) {
                            count(file, lock.fencingToken());
                        }
                    } else {
                        count(file, Long.MAX_VALUE);
                    }
                    return null;
                }));
            }
            for (Future<?> end : ends) {
                end.get();
            }
            threads.shutdown();
            System.out.println("done");
        }
    }

    /** Count and last fencing token, in one line. */
    private static void count(Path file, long fencingToken) throws Exception {
        String[] seen = Files.readString(file).split(" ", -1);
        LockSupport.parkNanos(DWELL_NANOS); // time for other threads to enter wrongly
        if (seen.length < 2 || seen[0].isEmpty()) {
            return; // another one writes: lost
        }
        if (fencingToken != Long.MAX_VALUE && fencingToken <= Long.parseLong(seen[1])) {
            System.out.println("violation: " + fencingToken + " after " + seen[1]);
        }
        Files.writeString(file, (Long.parseLong(seen[0]) + 1) + " " + fencingToken);
    }
}
