package io.github.lockstarter.benchmarks.workload;

import java.time.Duration;
import java.util.List;

/** All workloads. */
public final class Workloads {

    private static final List<Workload> ALL = List.of(
            new Uncontended(1),
            new Uncontended(32),
            new OneKey(Duration.ZERO),
            new OneKey(Duration.ofNanos(200_000)),
            new ThreeJvms(),
            new WakeUp());

    private Workloads() {}

    /**
     * All of them.
     *
     * @return in the order of the report
     */
    public static List<Workload> all() {
        return ALL;
    }

    /**
     * What they are called.
     *
     * @return ids in the order of the report
     */
    public static List<String> ids() {
        return ALL.stream().map(Workload::id).toList();
    }

    /**
     * Finds a workload by its id.
     *
     * @param id as on the command line
     * @return the workload
     * @throws IllegalArgumentException when there is none
     */
    public static Workload of(String id) {
        return ALL.stream()
                .filter(workload -> workload.id().equals(id))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("No workload '" + id + "'; there are " + ids()));
    }
}
