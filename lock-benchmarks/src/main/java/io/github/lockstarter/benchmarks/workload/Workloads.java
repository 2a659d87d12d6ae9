package io.github.lockstarter.benchmarks.workload;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/** All workloads. */
public final class Workloads {

    private static final List<Workload> USUAL = List.of(
            new Uncontended(1),
            new Uncontended(2),
            new Uncontended(8),
            new Uncontended(32),
            new Uncontended(128),
            new OneKey(Duration.ZERO),
            new OneKey(Duration.ofNanos(200_000)),
            new ThreeJvms(),
            new WakeUp(),
            new CrashedHolder(),
            new PausedHolder(),
            new ManyInstances(),
            HeldLocks.byTurns(20_000),
            HeldLocks.once(100_000),
            new ManyNames(),
            new ServerTime(),
            new ServerMemory(),
            new InJvm());

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

    private static Stream<Workload> all() {
        return Stream.concat(USUAL.stream(), LONG.stream());
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
