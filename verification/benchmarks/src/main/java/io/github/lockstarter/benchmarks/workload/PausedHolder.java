package io.github.lockstarter.benchmarks.workload;

import io.github.lockstarter.benchmarks.client.ClientKind;
import io.github.lockstarter.benchmarks.jvm.TaskJvm;
import io.github.lockstarter.benchmarks.measure.Measurement;
import io.github.lockstarter.benchmarks.measure.Metric;
import io.github.lockstarter.benchmarks.measure.Row;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** How often a holder keeps its lock while its process is paused. */
final class PausedHolder {

    static final Workload WORKLOAD = new Workload("pause", "Locks kept by a paused holder", """
            A JVM holds one lock with each client under a renewed lease, and is stopped (SIGSTOP) at a random moment \
            between two renewals, for a random time from a quarter of the longest pause to the whole; with each \
            client, another JVM waits for the lock. Kept: nobody else got the lock until 2 s after the pause, and \
            the holder's client can then release it.""", PausedHolder::run);

    private static final Duration LONGEST = Duration.ofSeconds(20);
    private static final double SHORTEST = 0.25;

    /** Enough for any other client to take the lock after the pause. */
    private static final Duration AFTERWARDS = Duration.ofSeconds(2);

    private PausedHolder() {}

    private static List<Row> run(Bench bench) throws Exception {
        HolderFaults faults = HolderFaults.of(bench, Lineup.REDIS);
        long longest = bench.time("pause", LONGEST).toNanos();
        List<Set<ClientKind>> kept = faults.run((holder, waiters) -> {
            double part = SHORTEST + (1 - SHORTEST) * faults.random().nextDouble();
            holder.pause(Duration.ofNanos((long) (part * longest)));
            TimeUnit.NANOSECONDS.sleep(AFTERWARDS.toNanos());
            return release(faults.kinds(), holder, waiters);
        });
        return faults.kinds().stream()
                .map(kind -> Row.of(kind, List.of(measurement(kind, kept))))
                .toList();
    }

    private static Measurement measurement(ClientKind kind, List<Set<ClientKind>> kept) {
        double times =
                (double) kept.stream().filter(kinds -> kinds.contains(kind)).count();
        return Measurement.EMPTY.with(Metric.PAUSES, kept.size()).with(Metric.KEPT, times);
    }

    /** Releases all locks, and waits until the waiters have acquired them; returns which clients kept theirs. */
    private static Set<ClientKind> release(List<ClientKind> kinds, TaskJvm holder, Waiters waiters)
            throws InterruptedException {
        Set<ClientKind> kept = EnumSet.noneOf(ClientKind.class);
        kinds.stream().filter(kind -> !waiters.isGranted(kind)).forEach(kept::add);
        for (ClientKind kind : kinds) {
            if (!Boolean.parseBoolean(holder.ask(VictimJvm.RELEASE, kind.id()))) {
                kept.remove(kind);
            }
            waiters.awaitGrant(kind);
        }
        return kept;
    }
}
