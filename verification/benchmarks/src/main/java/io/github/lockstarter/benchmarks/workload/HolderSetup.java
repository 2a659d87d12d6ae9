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
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Holders and waiters of a workload. Each holder process holds a lock with each client, so that a fault affects all
 * clients at once.
 *
 * @param lease all clients renew after a third of it
 */
record HolderSetup(Addresses addresses, List<ClientKind> kinds, Duration lease) {

    private static final String[] SMALL = {"-Xmx64m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"};

    static HolderSetup of(Bench bench, Lineup lineup) {
        List<ClientKind> kinds = bench.clients(lineup.holdingUntilTheEnd());
        return new HolderSetup(bench.addresses(kinds), kinds, bench.time("lease", lineup.leaseOfCrashed()));
    }

    /** Starts {@link VictimJvm}s with open clients, one per core at a time. */
    List<TaskJvm> startHolders(int count) throws Exception {
        ExecutorService cores =
                Executors.newFixedThreadPool(Runtime.getRuntime().availableProcessors());
        try {
            Callable<TaskJvm> start = this::startHolder;
            List<TaskJvm> holders = new ArrayList<>();
            for (Future<TaskJvm> started : cores.invokeAll(Collections.nCopies(count, start))) {
                holders.add(started.get());
            }
            return holders;
        } finally {
            cores.shutdown();
        }
    }

    private TaskJvm startHolder() {
        TaskJvm holder = TaskJvm.start(VictimJvm.class, SMALL);
        String ids = kinds.stream().map(ClientKind::id).collect(Collectors.joining(","));
        holder.ask(VictimJvm.OPEN, addresses.format(), lease.toMillis(), ids);
        return holder;
    }

    List<Waiters> openWaiters(int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> new Waiters(addresses, kinds, lease))
                .toList();
    }

    /** A random offset between two renewals. */
    Duration phase(Random random) {
        return Duration.ofNanos((long) (random.nextDouble() * lease.toNanos() / 3));
    }

    /** Wait of the waiters: a lease longer than any delay before it starts to run out. */
    Duration maxWait() {
        return Bench.MAX_WAIT.plus(lease);
    }
}
