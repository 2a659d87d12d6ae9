package io.github.lockstarter.contract;

import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockMode;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.spi.LockBackend;
import io.github.lockstarter.testing.Crowd;
import io.github.lockstarter.testing.WarmUp;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiFunction;
import java.util.stream.Stream;

/** A JVM of {@link CompetingJvmsContract}; a store has a {@code main} that calls {@link #run}. */
public final class CompetingJvm {

    static final String KEY = "competing-jvms";
    static final int THREADS = 8;
    static final int RUNS_PER_WRITE = 4;

    enum Mode {
        /** Its threads read a number from a file, add one, and write it back. */
        COUNT,

        /** The same without the lock. */
        COUNT_UNLOCKED,

        /** Counts in one of {@link #RUNS_PER_WRITE} runs; in the others, acquires the lock to read. */
        COUNT_AMONG_READERS,

        /** Acquires the lock, prints {@code held} and the fencing token, and holds it until the JVM ends. */
        HOLD
    }

    private CompetingJvm() {}

    static String[] arguments(Mode mode, int times, Path file, Duration lease, List<String> store) {
        return Stream.concat(
                        Stream.of(mode.name(), Integer.toString(times), file.toString(), lease.toString()),
                        store.stream())
                .toArray(String[]::new);
    }

    /**
     * Does what the arguments say.
     *
     * @param connect connects to the store that the contract's class describes, with a lease
     */
    public static void run(String[] arguments, BiFunction<Duration, List<String>, LockBackend> connect) {
        Mode mode = Mode.valueOf(arguments[0]);
        Path file = Path.of(arguments[2]);
        int times = Integer.parseInt(arguments[1]);
        Duration lease = Duration.parse(arguments[3]);
        List<String> store = List.of(arguments).subList(4, arguments.length);
        Application application = Application.over(connect.apply(lease, store), Application.settings(lease));
        WarmUp.connect(application.locks(), KEY + ":" + UUID.randomUUID());
        LockRequest request = LockRequest.of(KEY).maxWait(Patience.TIME.multipliedBy(2)); // of all JVMs
        if (mode == Mode.HOLD) {
            System.out.println("held " + application.locks().acquire(request).fencingToken());
            while (true) {
                LockSupport.park();
            }
        }
        AtomicInteger runs = new AtomicInteger();
        Crowd.of(THREADS).eachRuns(times, () -> {
            if (mode == Mode.COUNT_AMONG_READERS && runs.incrementAndGet() % RUNS_PER_WRITE != 0) {
                try (LockHandle held = application.locks().acquire(request.mode(LockMode.READ))) {
                    long from = System.nanoTime();
                    counted(file);
                    print(from, held.fencingToken(), LockMode.READ);
                }
            } else if (mode != Mode.COUNT_UNLOCKED) {
                try (LockHandle held = application.locks().acquire(request)) {
                    count(file, held.fencingToken());
                }
            } else {
                count(file, 0);
            }
        });
        System.out.println("done");
        System.exit(0);
    }

    private static void count(Path file, long fencingToken) {
        long from = System.nanoTime();
        try {
            Files.writeString(file, String.valueOf(counted(file) + 1));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        print(from, fencingToken, LockMode.WRITE);
    }

    private static void print(long from, long fencingToken, LockMode mode) {
        System.out.println("section " + from + " " + System.nanoTime() + " " + fencingToken + " " + mode);
    }

    /** The number in the file; 0 while another one writes it. */
    static int counted(Path file) {
        try {
            String number = Files.readString(file);
            return number.isEmpty() ? 0 : Integer.parseInt(number);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
