package io.github.lockstarter.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.faults.topology.Topology;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.Supplier;

/**
 * Sessions that violate nothing. A slow machine gets less done in one session, so others follow until enough has
 * happened.
 *
 * @param name of their event logs, below {@code target/fault-lab}
 * @param duration of one session
 * @param faults how many are enough in all sessions together
 * @param acquisitions the same
 */
record ShortSessions(String name, Duration duration, int faults, int acquisitions) {

    private static final int MOST = 20;

    void assertNoViolation(Supplier<Topology> topology, long firstSeed) {
        int faultsSoFar = 0;
        long acquisitionsSoFar = 0;
        for (long seed = firstSeed; faultsSoFar < faults || acquisitionsSoFar < acquisitions; seed++) {
            assertThat(seed)
                    .as("sessions without enough faults and acquisitions")
                    .isLessThan(firstSeed + MOST);
            LabResult result = FaultLab.run(
                    LabPlan.of(topology, seed, duration), Path.of("target", "fault-lab", name + "-" + seed));
            System.out.println("Fault lab: " + result.topology() + ", "
                    + result.faults().size() + " faults, " + result.acquisitions() + " acquisitions, in "
                    + result.took().toSeconds() + " s");
            assertThat(result.violations())
                    .as("%s, seed %d", result.topology(), seed)
                    .isEmpty();
            faultsSoFar += result.faults().size();
            acquisitionsSoFar += result.acquisitions();
        }
    }
}
