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
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The lab with a guard disabled: each run finds the violation that the guard prevents. */
@Tag(Effort.FULL)
class FaultLabControlsIT {

    private static final Path LOGS = Path.of("target", "fault-lab");
    private static final int RUNS = 3;

    @Test
    void findsOverlapsWithoutALock() {
        LabResult result = run("no-lock", plan(2).withFaults().with(Setup.STARTER.of(Client.NONE)));

        assertThat(result.count("I1")).as("overlaps").isPositive();
        assertThat(result.count("I2")).as("fencing tokens").isPositive();
        assertThat(result.lostUnfenced()).as("lost increments").isPositive();
    }

    @Test
    void findsLostIncrementsWithoutFencing() {
        LabResult result =
                run("no-fencing", plan(8).withFaults("worker-overslept").with(Setup.STARTER.without(Guard.FENCING)));

        assertThat(result.count("I3")).as("numbers with lost increments").isPositive();
        assertThat(result.count("I1")).as("overlaps of valid leases").isZero();
    }

    @Test
    void findsHandOversBeyondTheLimitWhenTheLimitIsDisabled() {
        LabResult result = run(
                "no-handover-bound",
                plan(3).withFaults()
                        .with(Setup.STARTER.without(Guard.HAND_OVER_BOUND))
                        .with(new Load(24, 1, 1000, Duration.ZERO)));

        assertThat(result.count("I10")).as("rows of handovers").isPositive();
    }

    /**
     * The fencing tokens go wrong too: a holder that has not detected that its lock is forgotten hands it over with
     * reserved tokens. The resource rejects them.
     */
    @Test
    void findsOverlapsWhenTheServerForgetsLocksWithoutTheHistoryGuard() {
        List<LabResult> results = runUntilOverlap(
                "no-history-guard", () -> plan(8).withFaults("flushall").with(Setup.STARTER.without(Guard.HISTORY)));

        assertThat(results).allSatisfy(result -> assertThat(result.count("I3")).isZero());
    }

    /** The fencing tokens are correct anyway, and the resource rejects the writes of the first holder. */
    @Test
    void findsOverlapsWhenLocksAreTakenOverTooSoon() {
        List<LabResult> results =
                runUntilOverlap("hasty-takeover", () -> plan(12).withFaults("link-refused", "mailbox-barred")
                        .with(Setup.STARTER.without(Guard.TAKEOVER_TIME)));

        assertThat(results).allSatisfy(result -> assertThat(result.count("I3")).isZero());
    }

    /** By the intervals, and by a value that changes under a reader. */
    @Test
    void findsOverlapsWhenWritersIgnoreReaders() {
        LabResult result = run("no-readers", plan(6).withFaults().with(Setup.STARTER.without(Guard.READERS)));

        assertThat(result.count("I1")).as("overlaps").isPositive();
        assertThat(result.violations()).anyMatch(found -> found.description().contains("changed"));
        assertThat(result.count("I3")).as("numbers with lost increments").isZero();
    }

    @Test
    void findsOverlapsWhenTheTextOfAKeyDependsOnTheJdk() {
        assumeTrue(!WorkerProcess.NEWER_JDK.equals(Jdks.own()), "no newer JDK");
        LabResult result = run("no-key-text", plan(3).withFaults().with(Setup.STARTER.without(Guard.KEY_TEXT)));

        assertThat(result.count("I1")).as("overlaps").isPositive();
    }

    @Test
    void findsOverlapsWhenClonesDrawTheSameLockTokens() {
        runUntilOverlap("no-random-tokens", () -> plan(30).withFaults("worker-cloned")
                .with(new Pace(Duration.ofSeconds(5), Duration.ofSeconds(5)))
                .with(Setup.STARTER.without(Guard.RANDOM_TOKENS)));
    }

    @Test
    void findsLateAnswersWhenTheClientRunsOnThreadsThatOtherCodeBlocks() {
        LabResult result = run(
                "foreign-threads",
                plan(12).withFaults("foreign-thread-blocked").with(Setup.STARTER.without(Guard.OWN_THREADS)));

        assertThat(result.count("I5")).as("late answers").isPositive();
    }

    /** The worker that connects again chooses one of them, and the others are connected to the other one. */
    @Test
    void findsOverlapsWhenTheFirstOfTwoMastersIsChosen() {
        runUntilOverlap("two-masters", () -> plan(StaticNodes::new, 30)
                .withFaults("two-masters")
                .with(Setup.STARTER.without(Guard.ONE_MASTER)));
    }

    /** One fault, and then none for longer than an instance may take to recover. */
    @ParameterizedTest
    @CsvSource({"connections-forgotten, false", "server-replaced, false", "master-demoted, true"})
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

    /** One of the runs has an overlap. A slow machine may get little done; in that case another run follows. */
    private static List<LabResult> runUntilOverlap(String name, Supplier<LabPlan> plan) {
        List<LabResult> results = new ArrayList<>();
        do {
            results.add(run(name, plan.get()));
        } while (results.size() < RUNS && results.get(results.size() - 1).count("I1") == 0);
        assertThat(results.get(results.size() - 1).count("I1")).as("overlaps").isPositive();
        return results;
    }

    private static LabResult run(String name, LabPlan plan) {
        LabResult result = FaultLab.run(plan, LOGS.resolve(name + "-" + plan.seed()));
        System.out.println("Fault lab control " + name + ": "
                + result.violations().size() + " violations in " + result.acquisitions() + " acquisitions");
        return result;
    }
}
