package io.github.lockstarter.faults;

import io.github.lockstarter.faults.nemesis.Fault;
import io.github.lockstarter.faults.nemesis.FaultCatalogue;
import io.github.lockstarter.faults.nemesis.FaultSchedule.Pace;
import io.github.lockstarter.faults.topology.Topology;
import io.github.lockstarter.faults.worker.WorkerOptions.Load;
import io.github.lockstarter.faults.worker.WorkerOptions.Setup;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * One session of the lab.
 *
 * @param topology starts the servers
 * @param faults to inject
 * @param seed of all random choices
 * @param duration of the injection
 * @param workers number of JVMs
 * @param setup lock client of the workers
 * @param load of each worker
 */
record LabPlan(
        Supplier<Topology> topology,
        Function<Topology, List<Fault>> faults,
        Pace pace,
        long seed,
        Duration duration,
        int workers,
        Setup setup,
        Load load) {

    /** Three JVMs with the starter, and all faults under which the topology keeps its promises. */
    static LabPlan of(Supplier<Topology> topology, long seed, Duration duration) {
        return new LabPlan(
                topology, FaultCatalogue::suitedTo, Pace.DENSE, seed, duration, 3, Setup.STARTER, Load.DEFAULT);
    }

    /** The same with these faults only, even if the topology does not support them. */
    LabPlan withFaults(String... names) {
        return new LabPlan(topology, any -> FaultCatalogue.named(names), pace, seed, duration, workers, setup, load);
    }

    /** The same at another pace. */
    LabPlan with(Pace other) {
        return new LabPlan(topology, faults, other, seed, duration, workers, setup, load);
    }

    /** The same with another lock client. */
    LabPlan with(Setup other) {
        return new LabPlan(topology, faults, pace, seed, duration, workers, other, load);
    }

    /** The same with another load. */
    LabPlan with(Load other) {
        return new LabPlan(topology, faults, pace, seed, duration, workers, setup, other);
    }
}
