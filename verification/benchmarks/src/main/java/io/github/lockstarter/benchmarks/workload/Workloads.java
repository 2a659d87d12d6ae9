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
            HeldLocks.byTurns(20_000),
            HeldLocks.once(100_000),
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

    private static final List<Workload> LONG = List.of(HeldLocks.forFiveMinutes(100_000));

    private Workloads() {}

    /**
     * Those that one command runs.
     *
     * @return in the order of the report
     */
    public static List<Workload> usual() {
        return USUAL;
    }

    /**
     * Those that compare stores.
     *
     * @return in the order of the report
     */
    public static List<Workload> ofStores() {
        return STORES;
    }

    private static Stream<Workload> all() {
        return Stream.of(USUAL, LONG, STORES).flatMap(List::stream);
    }

    /**
     * All, also those that take long.
     *
     * @return ids in the order of the report
     */
    public static List<String> ids() {
        return all().map(Workload::id).toList();
    }

    /**
     * Finds a workload by its id.
     *
     * @param id as on the command line
     * @return the workload
     * @throws IllegalArgumentException when there is none
     */
    public static Workload of(String id) {
        return all().filter(workload -> workload.id().equals(id))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("No workload '" + id + "'; there are " + ids()));
    }
}
