package io.github.lockstarter.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.faults.nemesis.FaultSchedule.Pace;
import io.github.lockstarter.faults.topology.Cluster;
import io.github.lockstarter.faults.topology.Etcd;
import io.github.lockstarter.faults.topology.Postgres;
import io.github.lockstarter.faults.topology.RedlockQuorum;
import io.github.lockstarter.faults.topology.Sentinel;
import io.github.lockstarter.faults.topology.Standalone;
import io.github.lockstarter.faults.topology.StaticNodes;
import io.github.lockstarter.faults.topology.Topology;
import io.github.lockstarter.faults.topology.ZooKeeper;
import io.github.lockstarter.faults.worker.WorkerOptions.Client;
import io.github.lockstarter.faults.worker.WorkerOptions.Guard;
import io.github.lockstarter.faults.worker.WorkerOptions.Load;
import io.github.lockstarter.faults.worker.WorkerOptions.Setup;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/**
 * A long run whose sessions rotate through the topologies, each with its own seed, followed by a report. Runs only in
 * the profile {@code faults}. Without a guard it must find violations; for other clients the report lists them.
 */
class FaultRun {

    private static final Path LOGS = Path.of("target", "fault-lab");
    private static final Duration LONGEST_SESSION = Duration.ofSeconds(225);

    private static final Set<String> OTHER_STORES =
            Set.of("postgresql", "zookeeper", "zookeeper-single", "etcd", "etcd-single");

    /** A session that is shorter than that shows nothing. */
    private static final Duration SHORTEST = Duration.ofSeconds(20);

    private final Duration length = Duration.ofSeconds((long) (60 * Double.parseDouble(setting("minutes", "30"))));
    private final long seed = Long.parseLong(setting("seed", Long.toString(System.nanoTime() % 1_000_000)));
    private final List<String> topologies =
            List.of(setting("topologies", "standalone,sentinel,cluster,redlock").split(",", -1));
    private final Client client = Client.valueOf(setting("client", "starter").toUpperCase(Locale.ROOT));
    private final String without = setting("without", "");
    private final String takeover = setting("takeover", "");
    private final String lease = setting("lease", "");
    private final String faults = setting("faults", "");
    private final boolean light = setting("load", "").equals("light");

    @Test
    void violatesNoInvariant() {
        Path target = Path.of(setting("report", LOGS.toString()));
        List<LabResult> results = new ArrayList<>();
        long start = System.nanoTime();
        Duration left = length;
        Duration share = length.dividedBy(topologies.size());
        share = share.compareTo(LONGEST_SESSION) < 0 ? share : LONGEST_SESSION;
        for (int i = 0; i == 0 || left.compareTo(SHORTEST) > 0; i++) {
            Duration session = left.compareTo(share) < 0 ? left : share;
            results.add(FaultLab.run(plan(i, session), LOGS.resolve("session-" + (seed + i))));
            new LabReport(results, command()).write(target, name());
            left = length.minusNanos(System.nanoTime() - start);
        }
        if (client == Client.STARTER && without.isEmpty()) {
            assertThat(results).allSatisfy(result -> assertThat(result.violations())
                    .as("%s, seed %d", result.topology(), result.seed())
                    .isEmpty());
        } else if (client == Client.STARTER) {
            assertThat(results).anySatisfy(result -> assertThat(result.violations())
                    .as("without %s", without)
                    .isNotEmpty());
        }
    }

    private LabPlan plan(int number, Duration session) {
        String topology = topologies.get(number % topologies.size());
        LabPlan plan = LabPlan.of(topology(topology), seed + number, session)
                .with(Pace.SPARSE)
                .with(setup())
                .with(light ? Load.LIGHT : Load.DEFAULT);
        return faults.isEmpty() ? plan : plan.withFaults(faults.split(",", -1));
    }

    private Setup setup() {
        Setup setup = Setup.STARTER.of(client);
        setup = takeover.isEmpty() ? setup : setup.takingOverAfter(Duration.ofMillis(Long.parseLong(takeover)));
        setup = lease.isEmpty() ? setup : setup.lease(Duration.ofMillis(Long.parseLong(lease)));
        return without.isEmpty() ? setup : setup.without(Guard.valueOf(without.toUpperCase(Locale.ROOT)));
    }

    private String name() {
        String subject = topologies.stream().allMatch(OTHER_STORES::contains)
                ? "stores"
                : client.name().toLowerCase(Locale.ROOT);
        return "report-" + subject + (without.isEmpty() ? "" : "-without-" + without.replace('_', '-'));
    }

    private String command() {
        String command = "mvn -Pfaults -pl verification/faults -am verify -Dminutes=" + length.toMinutes() + " -Dseed="
                + seed + " -Dtopologies=" + String.join(",", topologies);
        return command
                + (client == Client.STARTER ? "" : " -Dclient=" + client.name().toLowerCase(Locale.ROOT))
                + (takeover.isEmpty() ? "" : " -Dtakeover=" + takeover)
                + (lease.isEmpty() ? "" : " -Dlease=" + lease)
                + (faults.isEmpty() ? "" : " -Dfaults=" + faults)
                + (light ? " -Dload=light" : "")
                + (without.isEmpty() ? "" : " -Dwithout=" + without);
    }

    private static String setting(String name, String otherwise) {
        String value = System.getProperty("lab." + name, "");
        return value.isBlank() ? otherwise : value;
    }

    private static Supplier<Topology> topology(String name) {
        return switch (name) {
            case "standalone" -> Standalone::durable;
            case "forgetful" -> Standalone::forgetful;
            case "static" -> StaticNodes::new;
            case "sentinel" -> Sentinel::new;
            case "cluster" -> Cluster::new;
            case "redlock" -> RedlockQuorum::new;
            case "postgresql" -> Postgres::new;
            case "zookeeper" -> ZooKeeper::ensemble;
            case "zookeeper-single" -> ZooKeeper::single;
            case "etcd" -> Etcd::cluster;
            case "etcd-single" -> Etcd::single;
            default -> throw new IllegalArgumentException("No topology '" + name + "'");
        };
    }
}
