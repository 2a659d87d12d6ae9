package io.github.lockstarter.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.lockstarter.faults.nemesis.FaultSchedule.Pace;
import io.github.lockstarter.faults.topology.Etcd;
import io.github.lockstarter.faults.topology.Postgres;
import io.github.lockstarter.faults.topology.Topology;
import io.github.lockstarter.faults.topology.ZooKeeper;
import io.github.lockstarter.faults.worker.WorkerOptions.Guard;
import io.github.lockstarter.faults.worker.WorkerOptions.Setup;
import io.github.lockstarter.testing.Effort;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Short runs of the fault lab on stores other than Redis, and the same with a guard disabled, which must find
 * violations. Prints the seed; {@code -Dlock.test.seed} repeats it. Runs on etcd are skipped without a binary.
 */
@Tag(Effort.FULL)
class FaultLabStoresIT {

    private static final Duration SHORT = Duration.ofSeconds(14);
    private static final Path LOGS = Path.of("target", "fault-lab");

    /**
     * Duration of a control: few holds last longer than a lease, and few of those are contended at their end. Half the
     * time shows 17 overlaps on PostgreSQL, and none to four on the others.
     */
    private static final Duration CONTROL = Duration.ofSeconds(20);

    /** Between two faults: longer than a store may take to work again. */
    private static final Duration STUCK = Duration.ofSeconds(15);

    /** A slow machine may get little done; then another run follows. */
    private static final int RUNS = 3;

    private final long seed = Long.getLong("lock.test.seed", System.nanoTime());

    /** All of them would take a minute. */
    @Test
    void violatesNoInvariantOnAStoreChosenByTheSeed() {
        List<Supplier<Topology>> stores = List.of(Postgres::new, ZooKeeper::single);
        check(stores.get((int) Math.floorMod(seed, (long) stores.size())));
    }

    @Nested
    class Postgresql {

        @Test
        void violatesNoInvariant() {
            check(Postgres::new);
        }

        @Test
        void findsOverlapsWhenLostLeasesCountAsRenewed() {
            checkWithoutRenewals(Postgres::new);
        }

        @ParameterizedTest
        @ValueSource(strings = {"hung-and-replaced", "demoted-without-a-cut"})
        void findsInstancesWithoutLocksWhenThePoolKeepsItsConnections(String fault) {
            LabPlan plan = LabPlan.of(Postgres::new, seed, STUCK.multipliedBy(3))
                    .withFaults(fault)
                    .with(new Pace(STUCK, STUCK))
                    .with(Setup.STARTER.without(Guard.RECONNECTION));

            LabResult result = FaultLab.run(plan, LOGS.resolve(fault + "-" + seed));

            assertThat(result.count("I11")).as("instances without locks").isPositive();
        }
    }

    @Nested
    class ThreeZooKeeperServers {

        @Test
        void violatesNoInvariant() {
            check(ZooKeeper::ensemble);
        }

        @Test
        void findsOverlapsWhenLostSessionsCountAsRenewed() {
            checkWithoutRenewals(ZooKeeper::ensemble);
        }
    }

    @Nested
    class ThreeEtcdServers {

        @Test
        void violatesNoInvariant() {
            assumeTrue(Etcd.isAvailable(), "no etcd on the path");
            check(Etcd::cluster);
        }

        @Test
        void findsOverlapsWhenLostLeasesCountAsRenewed() {
            assumeTrue(Etcd.isAvailable(), "no etcd on the path");
            checkWithoutRenewals(Etcd::cluster);
        }
    }

    private void check(Supplier<Topology> store) {
        new ShortSessions("store", SHORT, 4, 200).assertNoViolation(store, seed);
    }

    private void checkWithoutRenewals(Supplier<Topology> store) {
        long overlaps = 0;
        for (int run = 1; run <= RUNS && overlaps == 0; run++) {
            LabPlan plan = LabPlan.of(store, seed + run, CONTROL)
                    .withFaults("link-refused")
                    .with(Setup.STARTER.without(Guard.RENEWAL));
            LabResult result = FaultLab.run(plan, LOGS.resolve("store-control-" + plan.seed()));
            overlaps = result.count("I1");
            System.out.println("Fault lab control " + result.topology() + ": " + overlaps + " overlaps in "
                    + result.acquisitions() + " acquisitions");
            assertThat(result.count("I3")).as("numbers with lost increments").isZero();
        }
        assertThat(overlaps).as("overlaps").isPositive();
    }
}
