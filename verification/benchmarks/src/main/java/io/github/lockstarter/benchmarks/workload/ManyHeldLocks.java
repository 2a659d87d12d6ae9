package io.github.lockstarter.benchmarks.workload;

import io.github.lockstarter.benchmarks.client.ClientKind;
import io.github.lockstarter.benchmarks.jvm.TaskJvm;
import io.github.lockstarter.benchmarks.measure.Measurement;
import io.github.lockstarter.benchmarks.measure.Metric;
import io.github.lockstarter.benchmarks.measure.Rounds;
import io.github.lockstarter.benchmarks.measure.Row;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Holds many renewed locks, in a new JVM for each round of each client.
 *
 * @param rounds how often the locks are acquired, held and released
 * @param windows measurements per round
 */
record ManyHeldLocks(int locks, List<ClientKind> clients, int rounds, int windows) {

    /** Renewal interval of all clients, a third of the 30 s lease: each lock is renewed once per window. */
    private static final Duration WINDOW = Duration.ofSeconds(10);

    private static final String DESCRIPTION = """
            Leases are 30 s, renewed every 10 s. Each window is one such period; the first after acquiring is not \
            counted. CPU is that of the client's process, garbage collection and compilation included. Heap is what is \
            live after garbage collection, less that before the first lock. The other clients do not renew, or not \
            that many.""";

    /** Two rounds of three windows. */
    static Workload byTurns(int locks) {
        return new ManyHeldLocks(locks, ClientKind.renewing(), 2, 3).workload("held-" + locks);
    }

    /** One round of three windows. */
    static Workload once(int locks) {
        return new ManyHeldLocks(locks, ClientKind.renewing(), 1, 3).workload("held-" + locks);
    }

    /** Only the starter, for five minutes. */
    static Workload forFiveMinutes(int locks) {
        return new ManyHeldLocks(locks, List.of(ClientKind.STARTER), 1, 29).workload("held-" + locks + "-long");
    }

    private Workload workload(String id) {
        long seconds = WINDOW.multipliedBy(1L + windows).toSeconds();
        String title = String.format(Locale.ROOT, "%,d locks held for %d s", locks, seconds);
        return new Workload(id, title, DESCRIPTION, this::run);
    }

    private List<Row> run(Bench bench) throws Exception {
        List<ClientKind> kinds = bench.clients(clients);
        int held = bench.count("locks", locks);
        int looks = bench.count("windows", windows);
        Duration window = bench.roundTime(WINDOW);
        return new Rounds(0, bench.count("rounds", rounds)).run(kinds, kind -> {
            try (TaskJvm child = TaskJvm.start(HoldTask.class, "-Xmx2g")) {
                child.ask(HoldTask.OPEN, bench.addresses(kinds).format(), kind.id());
                return round(child, held, looks, window);
            }
        });
    }

    private static List<Measurement> round(TaskJvm child, int locks, int windows, Duration window) {
        child.ask(HoldTask.ACQUIRE, locks);
        child.ask(HoldTask.HOLD, window.toNanos());
        List<Measurement> measurements = new ArrayList<>();
        for (int i = 0; i < windows; i++) {
            measurements.add(HoldTask.parse(child.ask(HoldTask.HOLD, window.toNanos())));
        }
        double heap = Double.parseDouble(child.ask(HoldTask.HEAP));
        double lost = Double.parseDouble(child.ask(HoldTask.RELEASE));
        return measurements.stream()
                .map(each -> each.with(Metric.HEAP, heap).with(Metric.LOST_LOCKS, lost))
                .toList();
    }
}
