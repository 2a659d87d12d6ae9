package io.github.lockstarter.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.faults.topology.Cluster;
import io.github.lockstarter.faults.topology.RedlockQuorum;
import io.github.lockstarter.faults.topology.Sentinel;
import io.github.lockstarter.faults.topology.Standalone;
import io.github.lockstarter.faults.topology.StaticNodes;
import io.github.lockstarter.faults.topology.Topology;
import io.github.lockstarter.faults.worker.WorkerOptions.Setup;
import io.github.lockstarter.testing.Effort;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A short run of the fault lab on one server, and on a topology that the seed chooses. The seed is printed, and taken
 * back by {@code -Dlock.test.seed}.
 */
@Tag(Effort.FULL)
class FaultLabIT {

    private static final Duration SHORT = Duration.ofSeconds(16);
    private static final Path LOGS = Path.of("target", "fault-lab");
    private static final List<Supplier<Topology>> OTHERS =
            List.of(StaticNodes::new, Sentinel::new, Cluster::new, RedlockQuorum::new);

    private final long seed = Long.getLong("lock.test.seed", System.nanoTime());

    @Test
    void violatesNoInvariantOnOneServer() {
        check("short-one", Standalone::durable);
    }

    @Test
    void violatesNoInvariantOnSeveralServers() {
        check("short-several", OTHERS.get((int) Math.floorMod(seed, (long) OTHERS.size())));
    }

    /** Under a lease that outlives the run, so that it shows nothing but takeovers. */
    @Test
    void takesOverLocksOfKilledWorkersAndNotOfStoppedOnes() {
        LabPlan plan = LabPlan.of(Standalone::durable, seed, Duration.ofSeconds(30))
                .withFaults("worker-killed", "worker-frozen")
                .with(Setup.STARTER.lease(Duration.ofSeconds(20)));

        LabResult result = FaultLab.run(plan, LOGS.resolve("takeover-" + seed));

        assertThat(result.violations()).as("seed %d", seed).isEmpty();
        assertThat(result.takeovers()).isNotEmpty();
    }

    private void check(String name, Supplier<Topology> topology) {
        new ShortSessions(name, SHORT, 6, 500).assertNoViolation(topology, seed);
    }
}
