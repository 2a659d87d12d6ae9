package io.github.lockstarter.benchmarks.workload;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/** All workloads. */
public final class Workloads {

    private static final List<Workload> USUAL = List.of(
            Uncontended.workload(Lineup.REDIS, 1),
            Uncontended.workload(Lineup.REDIS, 32),
            Uncontended.workload(Lineup.REDIS, 128),
            OneKey.workload(Lineup.REDIS, Duration.ZERO),
            OneKey.workload(Lineup.REDIS, Duration.ofNanos(200_000)),
            ThreeJvms.workload(Lineup.REDIS),
            ThreeJvms.readers(),
            WakeUp.WORKLOAD,
            CrashedHolder.workload(Lineup.REDIS),
            PausedHolder.WORKLOAD,
            ManyInstances.WORKLOAD,
            ManyHeldLocks.byTurns(20_000),
            ManyHeldLocks.once(100_000),
            ManyNames.WORKLOAD,
            ServerTime.WORKLOAD,
            InJvm.WORKLOAD);

    private static final List<Workload> STORES = List.of(
            Uncontended.workload(Lineup.STORES, 1),
            Uncontended.workload(Lineup.STORES, 32),
            OneKey.workload(Lineup.STORES, Duration.ZERO),
            ThreeJvms.workload(Lineup.STORES),
            CrashedHolder.workload(Lineup.STORES),
            StoreMemory.WORKLOAD);

    private static final List<Workload> ALL = Stream.of(USUAL, List.of(ManyHeldLocks.forFiveMinutes(100_000)), STORES)
            .flatMap(List::stream)
            .toList();

    private Workloads() {}

    /** Ids of all workloads, in the order of the report. */
    public static List<String> ids() {
        return ALL.stream().map(Workload::id).toList();
    }

    /**
     * One workload by its id, or those of {@code all} or {@code stores}.
     *
     * @throws IllegalArgumentException if it does not exist
     */
    public static List<Workload> named(String name) {
        return switch (name) {
            case "all" -> USUAL;
            case "stores" -> STORES;
            default -> List.of(of(name));
        };
    }

    static Workload of(String id) {
        return ALL.stream()
                .filter(workload -> workload.id().equals(id))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("No workload '" + id + "'; there are " + ids()));
    }
}
