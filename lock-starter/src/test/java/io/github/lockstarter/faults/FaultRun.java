package io.github.lockstarter.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.faults.topology.Cluster;
import io.github.lockstarter.faults.topology.Sentinel;
import io.github.lockstarter.faults.topology.Standalone;
import io.github.lockstarter.faults.topology.Topology;
import io.github.lockstarter.faults.worker.WorkerOptions.Client;
import io.github.lockstarter.faults.worker.WorkerOptions.Setup;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/**
 * A long run, in sessions of a minute that go round the topologies, each with a seed of its own; then a report under {@code
 * target/fault-lab}. Run by the profile {@code faults} only.
 */
class FaultRun {

    private static final Path TARGET = Path.of("target", "fault-lab");
    private static final Duration SESSION = Duration.ofSeconds(60);

    @Test
    void violatesNoInvariant() {
        Duration length = Duration.ofSeconds((long) (60 * Double.parseDouble(setting("lab.minutes", "30"))));
        long seed = Long.parseLong(setting("lab.seed", Long.toString(System.nanoTime())));
        String topologies = setting("lab.topologies", "standalone");
        Client client = Client.valueOf(setting("lab.client", "starter").toUpperCase(Locale.ROOT));
        LabReport report = new LabReport(
                List.of(),
                "mvn -Pfaults -Dminutes=" + length.toMinutes() + " -Dseed=" + seed + " -Dtopologies=" + topologies
                        + " -Dclient=" + client.name().toLowerCase(Locale.ROOT) + " verify");

        List<LabResult> results = new ArrayList<>();
        List<String> names = List.of(topologies.split(",", -1));
        long start = System.nanoTime();
        for (int i = 0; System.nanoTime() - start < length.toNanos(); i++) {
            Duration left = length.minusNanos(System.nanoTime() - start);
            LabPlan plan = LabPlan.of(
                            topology(names.get(i % names.size())),
                            seed + i,
                            left.compareTo(SESSION) < 0 ? left : SESSION)
                    .with(Setup.STARTER.of(client));
            results.add(FaultLab.run(plan, TARGET.resolve("session-" + (seed + i))));
            report = report.of(results);
            report.write(TARGET, "report-" + client.name().toLowerCase(Locale.ROOT));
        }

        if (client == Client.STARTER) {
            assertThat(results).allSatisfy(result -> assertThat(result.violations())
                    .as("%s, seed %d", result.topology(), result.seed())
                    .isEmpty());
        }
        assertThat(results).isNotEmpty();
    }

    private static String setting(String name, String otherwise) {
        String value = System.getProperty(name, "");
        return value.isBlank() ? otherwise : value;
    }

    private static Supplier<Topology> topology(String name) {
        return switch (name) {
            case "standalone" -> Standalone::durable;
            case "forgetful" -> Standalone::forgetful;
            case "sentinel" -> Sentinel::new;
            case "cluster" -> Cluster::new;
            default -> throw new IllegalArgumentException("No topology '" + name + "'");
        };
    }
}
