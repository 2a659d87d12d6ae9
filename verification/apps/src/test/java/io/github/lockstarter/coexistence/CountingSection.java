package io.github.lockstarter.coexistence;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/** The body of a locked method: counts the threads inside. */
final class CountingSection {

    private static final int THREADS = 4;
    private static final int TIMES = 10;
    static final int ALL = THREADS * TIMES;

    private final AtomicInteger inside = new AtomicInteger();
    private final AtomicInteger mostInside = new AtomicInteger();
    private final AtomicInteger runs = new AtomicInteger();

    /** Stays long enough for another thread to enter, if it can. */
    void run() {
        stay(Duration.ofMillis(1));
    }

    /** Stays for the given time. */
    void stay(Duration time) {
        mostInside.accumulateAndGet(inside.incrementAndGet(), Math::max);
        LockSupport.parkNanos(time.toNanos());
        runs.incrementAndGet();
        inside.decrementAndGet();
    }

    int mostInside() {
        return mostInside.get();
    }

    int runs() {
        return runs.get();
    }

    /** Runs a method of several threads until all are through. */
    static void crowd(Runnable method) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try {
            List<Callable<Object>> calls = new ArrayList<>();
            for (int i = 0; i < ALL; i++) {
                calls.add(Executors.callable(method));
            }
            for (Future<Object> call : threads.invokeAll(calls)) {
                call.get();
            }
        } finally {
            threads.shutdownNow();
        }
    }
}
