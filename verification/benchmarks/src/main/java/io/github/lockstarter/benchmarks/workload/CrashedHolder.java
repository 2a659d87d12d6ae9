package io.github.lockstarter.benchmarks.workload;

import io.github.lockstarter.benchmarks.client.ClientKind;
import io.github.lockstarter.benchmarks.jvm.TaskJvm;
import io.github.lockstarter.benchmarks.measure.Metric;
import io.github.lockstarter.benchmarks.measure.Row;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Time from the crash of a holder to the acquisition of a waiter in another process. */
record CrashedHolder(Lineup lineup) implements Workload {

    private static final int CRASHES = 50;
    private static final int AT_ONCE = 10;

    @Override
    public String id() {
        return lineup.id("crash");
    }

    @Override
    public String title() {
        return lineup.title("Next owner after kill -9 of the holder");
    }

    @Override
    public String description() {
        return "A JVM holds one lock with each client under a renewed lease, and is killed at a random moment between two"
                + " renewals; with each client, another JVM waits for the lock. Time: from the kill to the end of the"
                + " other's acquire, over all crashes.";
    }

    @Override
    public List<Metric> charted() {
        return List.of(Metric.P50_SECONDS, Metric.MAX_SECONDS);
    }

    @Override
    public List<Row> run(Bench bench) throws Exception {
        HolderSetup setup = HolderSetup.of(bench, lineup);
        int crashes = bench.count("rounds", CRASHES);
        int atOnce = Math.min(crashes, bench.count("jvms", AT_ONCE));
        Random random = bench.random();
        CrashTimes times = new CrashTimes();
        List<Waiters> waiters = setup.openWaiters(atOnce);
        try {
            for (int done = 0; done < crashes; done += atOnce) {
                int now = Math.min(atOnce, crashes - done);
                crash(setup, waiters.subList(0, now), moments(setup, now, random), times);
            }
        } finally {
            waiters.forEach(Waiters::close);
        }
        return times.rows();
    }

    private static List<Duration> moments(HolderSetup setup, int count, Random random) {
        return Stream.generate(() -> setup.phase(random)).limit(count).sorted().toList();
    }

    /** Uses one new holder per group of waiters. */
    private static void crash(HolderSetup setup, List<Waiters> waiters, List<Duration> moments, CrashTimes times)
            throws Exception {
        List<TaskJvm> holders = setup.startHolders(waiters.size());
        try {
            for (int i = 0; i < holders.size(); i++) {
                holders.get(i).ask(VictimJvm.ACQUIRE, "crash:" + i);
                waiters.get(i).begin("crash:" + i, setup.maxWait());
            }
            Waiters.settle();
            List<Long> killed = kill(holders, moments);
            for (int i = 0; i < holders.size(); i++) {
                for (ClientKind kind : setup.kinds()) {
                    times.add(kind, killed.get(i), waiters.get(i).awaitGrant(kind));
                }
            }
        } finally {
            holders.forEach(TaskJvm::close);
        }
    }

    /** Kills each holder at its offset from now; returns the times of the kills. */
    private static List<Long> kill(List<TaskJvm> holders, List<Duration> moments) throws InterruptedException {
        long start = System.nanoTime();
        List<Long> killed = new ArrayList<>();
        for (int i = 0; i < holders.size(); i++) {
            TimeUnit.NANOSECONDS.sleep(start + moments.get(i).toNanos() - System.nanoTime());
            killed.add(holders.get(i).kill());
        }
        return killed;
    }
}
