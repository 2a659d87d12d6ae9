package io.github.lockstarter.benchmarks.workload;

import io.github.lockstarter.benchmarks.client.ClientKind;
import io.github.lockstarter.benchmarks.jvm.TaskJvm;
import io.github.lockstarter.benchmarks.measure.Measurement;
import io.github.lockstarter.benchmarks.measure.Metric;
import io.github.lockstarter.benchmarks.measure.Row;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** Time from the crash of a holder to the acquisition of a waiter in another process. */
final class CrashedHolder {

    private static final String DESCRIPTION = """
            A JVM holds one lock with each client under a renewed lease, and is killed at a random moment between two \
            renewals; with each client, another JVM waits for the lock. Time: from the kill to the end of the \
            other's acquire, over all crashes.""";

    private CrashedHolder() {}

    static Workload workload(Lineup lineup) {
        return lineup.workload(
                "crash", "Next owner after kill -9 of the holder", DESCRIPTION, bench -> run(bench, lineup));
    }

    private static List<Row> run(Bench bench, Lineup lineup) throws Exception {
        HolderFaults faults = HolderFaults.of(bench, lineup);
        List<Map<ClientKind, Double>> crashes = faults.run((holder, waiters) -> crash(faults.kinds(), holder, waiters));
        return faults.kinds().stream()
                .map(kind -> Row.of(kind, List.of(measurement(kind, crashes))))
                .toList();
    }

    /** Seconds until the next owner. */
    private static Map<ClientKind, Double> crash(List<ClientKind> kinds, TaskJvm holder, Waiters waiters)
            throws InterruptedException {
        long killed = holder.kill();
        Map<ClientKind, Double> seconds = new EnumMap<>(ClientKind.class);
        for (ClientKind kind : kinds) {
            seconds.put(kind, seconds(kind, killed, waiters.awaitGrant(kind)));
        }
        return seconds;
    }

    /** @throws IllegalStateException if the grant precedes the kill: exclusion failed */
    static double seconds(ClientKind kind, long killed, long granted) {
        if (granted < killed) {
            throw new IllegalStateException("Granted while its holder was alive: " + kind.id());
        }
        return (granted - killed) / 1e9;
    }

    private static Measurement measurement(ClientKind kind, List<Map<ClientKind, Double>> crashes) {
        double[] sorted =
                crashes.stream().mapToDouble(crash -> crash.get(kind)).sorted().toArray();
        return Measurement.EMPTY
                .with(Metric.P50_SECONDS, sorted[(sorted.length - 1) / 2])
                .with(Metric.P99_SECONDS, sorted[(int) Math.ceil(0.99 * sorted.length) - 1])
                .with(Metric.MAX_SECONDS, sorted[sorted.length - 1]);
    }
}
