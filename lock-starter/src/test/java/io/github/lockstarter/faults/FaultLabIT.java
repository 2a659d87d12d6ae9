package io.github.lockstarter.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.faults.topology.Standalone;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A short run of the fault lab over all faults. The seed is printed, and taken back by {@code -Dlock.test.seed}. */
class FaultLabIT {

    private static final Duration SHORT = Duration.ofSeconds(30);
    private static final Path LOGS = Path.of("target", "fault-lab");

    @Test
    void violatesNoInvariantOnOneServer() {
        long seed = Long.getLong("lock.test.seed", System.nanoTime());
        LabResult result =
                FaultLab.run(LabPlan.of(Standalone::durable, seed, SHORT), LOGS.resolve("standalone-" + seed));

        System.out.println("Fault lab: " + result.faults().size() + " faults, " + result.acquisitions()
                + " acquisitions, in " + result.took().toSeconds() + " s");
        assertThat(result.violations()).as("seed %d", seed).isEmpty();
        assertThat(result.faults()).hasSizeGreaterThan(12);
        assertThat(result.acquisitions()).isGreaterThan(500);
    }
}
