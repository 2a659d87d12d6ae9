package io.github.lockstarter.benchmarks.workload;

import io.github.lockstarter.benchmarks.client.ClientKind;
import io.github.lockstarter.benchmarks.jvm.TaskJvm;
import io.github.lockstarter.benchmarks.server.Addresses;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * Processes that hold a lock with each client while others wait for it, so that a fault affects all clients at once.
 *
 * @param lease all clients renew after a third of it
 */
record HolderFaults(Addresses addresses, List<ClientKind> kinds, Duration lease, int count, int atOnce, Random random) {

    private static final String[] SMALL = {"-Xmx64m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"};

    /** What happens to one holder. */
    @FunctionalInterface
    interface Fault<T> {

        /**
         * Runs the fault to its end, when all waiters have acquired the lock.
         *
         * @throws Exception ends the workload
         */
        T run(TaskJvm holder, Waiters waiters) throws Exception;
    }

    static HolderFaults of(Bench bench, Lineup lineup) {
        List<ClientKind> kinds = bench.clients(lineup.holdingUntilTheEnd());
        int count = bench.count("rounds", 50);
        return new HolderFaults(
                bench.addresses(kinds),
                kinds,
                bench.time("lease", lineup.lease()),
                count,
                Math.min(count, bench.count("jvms", 10)),
                bench.random());
    }

    /** Runs the fault at a random moment between two renewals of each holder, and returns the results. */
    <T> List<T> run(Fault<T> fault) throws Exception {
        List<T> results = new ArrayList<>();
        while (results.size() < count) {
            int now = Math.min(atOnce, count - results.size());
            List<TaskJvm> holders =
                    inParallel(Runtime.getRuntime().availableProcessors(), Collections.nCopies(now, this::startHolder));
            try {
                List<Callable<T>> faults = new ArrayList<>();
                for (TaskJvm holder : holders) {
                    String key = "fault:" + (results.size() + faults.size());
                    Duration phase = Duration.ofNanos((long) (random.nextDouble() * lease.toNanos() / 3));
                    faults.add(() -> run(fault, holder, key, phase));
                }
                results.addAll(inParallel(now, faults));
            } finally {
                holders.forEach(TaskJvm::close);
            }
        }
        return results;
    }

    private <T> T run(Fault<T> fault, TaskJvm holder, String key, Duration phase) throws Exception {
        try (Waiters waiters = new Waiters(addresses, kinds, lease)) {
            holder.ask(VictimJvm.ACQUIRE, key);
            waiters.begin(key, Bench.MAX_WAIT.plus(lease)); // longer than any delay before the lease runs out
            Waiters.settle();
            TimeUnit.NANOSECONDS.sleep(phase.toNanos());
            return fault.run(holder, waiters);
        }
    }

    private TaskJvm startHolder() {
        TaskJvm holder = TaskJvm.start(VictimJvm.class, SMALL);
        String ids = kinds.stream().map(ClientKind::id).collect(Collectors.joining(","));
        holder.ask(VictimJvm.OPEN, addresses.format(), lease.toMillis(), ids);
        return holder;
    }

    private static <T> List<T> inParallel(int threads, List<Callable<T>> tasks) throws Exception {
        ExecutorService executor = Executors.newFixedThreadPool(threads);
        try {
            List<T> results = new ArrayList<>();
            for (Future<T> each : executor.invokeAll(tasks)) {
                results.add(each.get());
            }
            return results;
        } finally {
            executor.shutdownNow();
        }
    }
}
