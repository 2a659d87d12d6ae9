package io.github.lockstarter.benchmarks.workload;

import io.github.lockstarter.benchmarks.client.LockClient;
import io.github.lockstarter.benchmarks.client.LockClient.Hold;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Threads that acquire and keep locks; each releases its own. Used by one thread. */
final class Holders implements AutoCloseable {

    private static final int THREADS = 8;

    private final LockClient client;
    private final List<ExecutorService> threads = new ArrayList<>();
    private final List<List<Hold>> held = new ArrayList<>();

    Holders(LockClient client) {
        this.client = client;
        for (int i = 0; i < THREADS; i++) {
            threads.add(Executors.newSingleThreadExecutor());
            held.add(new ArrayList<>());
        }
    }

    /** Distributes the keys over the threads. */
    void acquire(int locks) throws Exception {
        onEach(thread -> {
            for (int i = thread; i < locks; i += THREADS) {
                held.get(thread).add(client.acquire("held:" + i, Bench.MAX_WAIT));
            }
            return 0L;
        });
    }

    /** Releases all locks; returns the number of lost ones. */
    long release() throws Exception {
        return onEach(thread -> {
            long lost = held.get(thread).stream().filter(Holders::isLost).count();
            held.get(thread).clear();
            return lost;
        });
    }

    private static boolean isLost(Hold hold) {
        try {
            hold.release();
            return false;
        } catch (RuntimeException e) {
            return true;
        }
    }

    private interface Work {
        long run(int thread) throws Exception;
    }

    private long onEach(Work work) throws Exception {
        List<Future<Long>> running = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            int thread = i;
            Callable<Long> share = () -> work.run(thread);
            running.add(threads.get(i).submit(share));
        }
        long sum = 0;
        for (Future<Long> each : running) {
            sum += each.get();
        }
        return sum;
    }

    @Override
    public void close() {
        threads.forEach(ExecutorService::shutdownNow);
    }
}
