package io.github.lockstarter.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.lockstarter.faults.nemesis.FaultSchedule.Pace;
import io.github.lockstarter.faults.topology.Standalone;
import io.github.lockstarter.faults.topology.StaticNodes;
import io.github.lockstarter.faults.topology.Topology;
import io.github.lockstarter.faults.worker.WorkerOptions.Client;
import io.github.lockstarter.faults.worker.WorkerOptions.Guard;
import io.github.lockstarter.faults.worker.WorkerOptions.Load;
import io.github.lockstarter.faults.worker.WorkerOptions.Setup;
import io.github.lockstarter.kit.jvm.Jdks;
import io.github.lockstarter.testing.Effort;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The lab with a guard disabled: each run finds the violation that the guard prevents. */
class FaultLabControlsIT {

    private static final Path LOGS = Path.of("target", "fault-lab");
    private static final int RUNS = 3;

    @Test
    @Tag(Effort.FULL)
    void findsOverlapsWithoutALock() {
        LabResult result = run("no-lock", plan(2).withFaults().with(Setup.STARTER.of(Client.NONE)));

        assertThat(result.count("I1")).as("overlaps").isPositive();
        assertThat(result.count("I2")).as("fencing tokens").isPositive();
        assertThat(result.lostUnfenced()).as("lost increments").isPositive();
    }

    @Test
    @Tag(Effort.FULL)
    void findsLostIncrementsWithoutFencing() {
        LabResult result =
                run("no-fencing", plan(8).withFaults("worker-overslept").with(Setup.STARTER.without(Guard.FENCING)));

        assertThat(result.count("I3")).as("numbers with lost increments").isPositive();
        assertThat(result.count("I1")).as("overlaps of valid leases").isZero();
    }

    @Test
    @Tag(Effort.FULL)
    void findsHandOversBeyondTheLimitWhenTheLimitIsDisabled() {
        LabResult result = run(
                "no-hand-over-bound",
                plan(3).withFaults()
                        .with(Setup.STARTER.without(Guard.HAND_OVER_BOUND))
                        .with(new Load(24, 1, 1000)));

        assertThat(result.count("I10")).as("rows of hand-overs").isPositive();
    }

    /**
     * The fencing tokens go wrong too: a holder that has not detected that its lock is forgotten hands it over with
     * reserved tokens. The resource rejects them. A slow machine may forget when no lock is held; in that case another
     * run follows.
     */
    @Test
    @Tag(Effort.FULL)
    void findsOverlapsWhenTheServerForgetsLocksWithoutTheHistoryGuard() {
        long overlaps = 0;
        for (int run = 1; run <= RUNS && overlaps == 0; run++) {
            LabResult result =
                    run("no-history-guard", plan(8).withFaults("flushall").with(Setup.STARTER.without(Guard.HISTORY)));
            overlaps = result.count("I1");
            assertThat(result.count("I3")).as("numbers with lost increments").isZero();
        }
        assertThat(overlaps).as("overlaps").isPositive();
    }

    /**
     * The fencing tokens are correct anyway, and the resource rejects the writes of the first holder. A short run may
     * not disconnect any worker that holds a lock for long; in that case another run follows.
     */
    @Test
    @Tag(Effort.FULL)
    void findsOverlapsWhenLocksAreTakenOverTooSoon() {
        long overlaps = 0;
        for (int run = 1; run <= RUNS && overlaps == 0; run++) {
            LabResult result = run(
                    "hasty-take-over",
                    plan(12).withFaults("link-refused", "mailbox-barred")
                            .with(Setup.STARTER.without(Guard.TAKE_OVER_TIME)));
            overlaps = result.count("I1");
            assertThat(result.count("I3")).as("numbers with lost increments").isZero();
        }
        assertThat(overlaps).as("overlaps").isPositive();
    }

    @Test
    @Tag(Effort.FULL)
    void findsOverlapsWhenTheTextOfAKeyDependsOnTheJdk() {
        assumeTrue(!WorkerProcess.NEWER_JDK.equals(Jdks.own()), "no newer JDK");
        LabResult result = run("no-key-text", plan(3).withFaults().with(Setup.STARTER.without(Guard.KEY_TEXT)));

        assertThat(result.count("I1")).as("overlaps").isPositive();
    }

    /** On a slow machine the run may end before the clone has done much; in that case another run follows. */
    @Test
    @Tag(Effort.FULL)
    void findsOverlapsWhenClonesDrawTheSameLockTokens() {
        long overlaps = 0;
        for (int run = 1; run <= RUNS && overlaps == 0; run++) {
            LabResult result = run(
                    "no-random-tokens",
                    plan(30).withFaults("worker-cloned")
                            .with(new Pace(Duration.ofSeconds(5), Duration.ofSeconds(5)))
                            .with(Setup.STARTER.without(Guard.RANDOM_TOKENS)));
            overlaps = result.count("I1");
        }
        assertThat(overlaps).as("overlaps").isPositive();
    }

    @Test
    @Tag(Effort.FULL)
    void findsLateAnswersWhenTheClientRunsOnThreadsThatOtherCodeBlocks() {
        LabResult result = run(
                "foreign-threads",
                plan(12).withFaults("foreign-thread-blocked").with(Setup.STARTER.without(Guard.OWN_THREADS)));

        assertThat(result.count("I5")).as("late answers").isPositive();
    }

    /** The worker that connects again chooses one of them, and the others are connected to the other one. */
    @Test
    @Tag(Effort.FULL)
    void findsOverlapsWhenTheFirstOfTwoMastersIsChosen() {
        long overlaps = 0;
        for (int run = 1; run <= RUNS && overlaps == 0; run++) {
            LabResult result = run(
                    "two-masters",
                    plan(StaticNodes::new, 30).withFaults("two-masters").with(Setup.STARTER.without(Guard.ONE_MASTER)));
            overlaps = result.count("I1");
        }
        assertThat(overlaps).as("overlaps").isPositive();
    }

    /** One fault, and then none for longer than an instance may take to recover. */
    @ParameterizedTest
    @CsvSource({"connections-forgotten, false", "server-replaced, false", "master-demoted, true"})
    @Tag(Effort.FULL)
    void findsInstancesWithoutLocksWhenConnectionsAreNotReplaced(String fault, boolean hasStaticNodes) {
        LabResult result = run(
                fault,
                plan(hasStaticNodes ? StaticNodes::new : Standalone::forgetful, 42)
                        .withFaults(fault)
                        .with(new Pace(Duration.ofSeconds(18), Duration.ofSeconds(18)))
                        .with(Setup.STARTER.without(Guard.RECONNECTION)));

        assertThat(result.count("I11")).as("instances without locks").isPositive();
    }

    private static LabPlan plan(int seconds) {
        return plan(Standalone::forgetful, seconds);
    }

    private static LabPlan plan(Supplier<Topology> topology, int seconds) {
        long seed = Long.getLong("lock.test.seed", System.nanoTime());
        return LabPlan.of(topology, seed, Duration.ofSeconds(seconds));
    }

    private static LabResult run(String name, LabPlan plan) {
        LabResult result = FaultLab.run(plan, LOGS.resolve(name + "-" + plan.seed()));
        System.out.println("Fault lab control " + name + ": "
                + result.violations().size() + " violations in " + result.acquisitions() + " acquisitions");
        return result;
    }
}
