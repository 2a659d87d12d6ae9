package io.github.lockstarter.benchmarks.workload;

import io.github.lockstarter.benchmarks.client.ClientKind;
import io.github.lockstarter.benchmarks.jvm.TaskJvm;
import io.github.lockstarter.benchmarks.measure.Measurement;
import io.github.lockstarter.benchmarks.measure.Metric;
import io.github.lockstarter.benchmarks.measure.Row;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** How often a holder keeps its lock while its process is paused. */
record PausedHolder() implements Workload {

    private static final int PAUSES = 50;
    private static final int AT_ONCE = 10;
    private static final Duration LONGEST = Duration.ofSeconds(20);
    private static final int LONGEST_BY_SHORTEST = 4;

    /** Enough for any other client to take the lock after the pause. */
    private static final Duration AFTERWARDS = Duration.ofSeconds(2);

    @Override
    public String id() {
        return "pause";
    }

    @Override
    public String title() {
        return "Locks kept by a paused holder";
    }

    @Override
    public String description() {
        return "A JVM holds one lock with each client under a renewed lease, and is stopped (SIGSTOP) at a random moment"
                + " between two renewals, for a random time from a quarter of the longest pause to the whole; with each"
                + " client, another JVM waits for the lock. Kept: nobody else got the lock until "
                + AFTERWARDS.toSeconds()
                + " s after the pause, the holder's client then says that it holds the lock, and"
                + " can release it.";
    }

    @Override
    public List<Metric> charted() {
        return List.of(Metric.KEPT);
    }

    private record Pause(String key, Duration phase, Duration length) {

        static Pause random(HolderSetup setup, String key, Duration longest, Random random) {
            double share = 1.0 / LONGEST_BY_SHORTEST;
            double part = share + (1 - share) * random.nextDouble();
            return new Pause(key, setup.phase(random), Duration.ofNanos((long) (part * longest.toNanos())));
        }
    }

    @Override
    public List<Row> run(Bench bench) throws Exception {
        HolderSetup setup = HolderSetup.of(bench, Lineup.REDIS);
        int count = bench.count("rounds", PAUSES);
        int atOnce = Math.min(count, bench.count("jvms", AT_ONCE));
        Duration longest = bench.time("pause", LONGEST);
        Random random = bench.random();
        List<Pause> pauses = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            pauses.add(Pause.random(setup, "pause:" + i, longest, random));
        }
        List<Set<ClientKind>> kept = pause(setup, pauses, atOnce);
        return setup.kinds().stream().map(kind -> row(kind, kept)).toList();
    }

    private static Row row(ClientKind kind, List<Set<ClientKind>> kept) {
        double times =
                (double) kept.stream().filter(kinds -> kinds.contains(kind)).count();
        Measurement measurement =
                Measurement.EMPTY.with(Metric.PAUSES, kept.size()).with(Metric.KEPT, times);
        return new Row(kind.id(), kind.label(), List.of(measurement));
    }

    /** Distributes the pauses over the holders; returns which clients kept their locks in each pause. */
    private static List<Set<ClientKind>> pause(HolderSetup setup, List<Pause> pauses, int atOnce) throws Exception {
        List<Waiters> waiters = setup.openWaiters(atOnce);
        List<TaskJvm> holders = setup.startHolders(atOnce);
        ExecutorService threads = Executors.newFixedThreadPool(atOnce);
        try {
            List<Callable<List<Set<ClientKind>>>> shares = new ArrayList<>();
            for (int i = 0; i < atOnce; i++) {
                int holder = i;
                shares.add(() -> share(setup, holders.get(holder), waiters.get(holder), every(pauses, holder, atOnce)));
            }
            List<Set<ClientKind>> kept = new ArrayList<>();
            for (Future<List<Set<ClientKind>>> share : threads.invokeAll(shares)) {
                kept.addAll(share.get());
            }
            return kept;
        } finally {
            threads.shutdownNow();
            waiters.forEach(Waiters::close);
            holders.forEach(TaskJvm::close);
        }
    }

    private static List<Pause> every(List<Pause> pauses, int first, int step) {
        List<Pause> share = new ArrayList<>();
        for (int i = first; i < pauses.size(); i += step) {
            share.add(pauses.get(i));
        }
        return share;
    }

    private static List<Set<ClientKind>> share(HolderSetup setup, TaskJvm holder, Waiters waiters, List<Pause> pauses)
            throws InterruptedException {
        List<Set<ClientKind>> kept = new ArrayList<>();
        for (Pause pause : pauses) {
            holder.ask(VictimJvm.ACQUIRE, pause.key);
            waiters.begin(pause.key, setup.maxWait());
            Waiters.settle();
            TimeUnit.NANOSECONDS.sleep(pause.phase.toNanos());
            holder.pause(pause.length);
            TimeUnit.NANOSECONDS.sleep(AFTERWARDS.toNanos());
            kept.add(release(setup, holder, waiters));
        }
        return kept;
    }

    /** Releases all locks, and waits until the waiters have acquired them. */
    private static Set<ClientKind> release(HolderSetup setup, TaskJvm holder, Waiters waiters)
            throws InterruptedException {
        Set<ClientKind> kept = EnumSet.noneOf(ClientKind.class);
        setup.kinds().stream().filter(kind -> !waiters.isGranted(kind)).forEach(kept::add);
        for (ClientKind kind : setup.kinds()) {
            if (!Boolean.parseBoolean(holder.ask(VictimJvm.RELEASE, kind.id()))) {
                kept.remove(kind);
            }
            waiters.awaitGrant(kind);
        }
        return kept;
    }
}
