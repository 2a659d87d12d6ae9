package io.github.lockstarter.benchmarks.workload;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/** All workloads. */
public final class Workloads {

    private static final List<Workload> USUAL = List.of(
            new Uncontended(Lineup.REDIS, 1),
            new Uncontended(Lineup.REDIS, 2),
            new Uncontended(Lineup.REDIS, 8),
            new Uncontended(Lineup.REDIS, 32),
            new Uncontended(Lineup.REDIS, 128),
            new OneKey(Lineup.REDIS, Duration.ZERO),
            new OneKey(Lineup.REDIS, Duration.ofNanos(200_000)),
            new ThreeJvms(Lineup.REDIS),
            new WakeUp(),
            new CrashedHolder(Lineup.REDIS),
            new PausedHolder(),
            new ManyInstances(),
            ManyHeldLocks.byTurns(20_000),
            ManyHeldLocks.once(100_000),
            new ManyNames(),
            new ServerTime(),
            new ServerMemory(),
            new InJvm());

    private static final List<Workload> STORES = List.of(
            new Uncontended(Lineup.STORES, 1),
            new Uncontended(Lineup.STORES, 32),
            new OneKey(Lineup.STORES, Duration.ZERO),
            new ThreeJvms(Lineup.STORES),
            new CrashedHolder(Lineup.STORES),
            new StoreMemory());

    private static final List<Workload> LONG = List.of(ManyHeldLocks.forFiveMinutes(100_000));

    private Workloads() {}

    /** Workloads of {@code all}, in the order of the report. */
    public static List<Workload> usual() {
        return USUAL;
    }

    /** Workloads of {@code stores}, in the order of the report. */
    public static List<Workload> ofStores() {
        return STORES;
    }

    private static Stream<Workload> all() {
        return Stream.of(USUAL, LONG, STORES).flatMap(List::stream);
    }

    /** Ids of all workloads, in the order of the report. */
    public static List<String> ids() {
        return all().map(Workload::id).toList();
    }

    /**
     * Finds a workload by its id.
     *
     * @throws IllegalArgumentException if it does not exist
     */
    public static Workload of(String id) {
        return all().filter(workload -> workload.id().equals(id))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("No workload '" + id + "'; there are " + ids()));
    }
}
