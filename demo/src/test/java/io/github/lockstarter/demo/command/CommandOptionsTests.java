package io.github.lockstarter.demo.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.demo.experiment.deployment.DeploymentPlan;
import io.github.lockstarter.demo.experiment.deployment.LockTopology;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

/** Options that are rejected before anything starts, and the resulting set-up. */
class CommandOptionsTests {

    private final StringWriter output = new StringWriter();

    @Test
    void setsUpOneServerByDefault() {
        assertThat(parsed().deployments()).containsExactly(new DeploymentPlan(2, LockTopology.STANDALONE));
    }

    @Test
    void setsUpEveryNamedTopology() {
        assertThat(parsed("--instances=3", "--topology=cluster,master-replica").deployments())
                .containsExactly(
                        new DeploymentPlan(3, LockTopology.CLUSTER),
                        new DeploymentPlan(3, LockTopology.MASTER_REPLICA));
        assertThat(parsed("--topology=all").deployments()).hasSize(LockTopology.values().length);
    }

    @Test
    void setsUpOnlyTheFirstTopologyWithoutTheVariantThatNeedsOthers() {
        assertThat(parsed("--topology=all", "--variants=v0,v4").deployments()).hasSize(1);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
        --requests=0           | requests is 0; choose 1 to 5000
        --requests=many        | 'many' is not an int
        --instances=9          | instances is 9; choose 1 to 8
        --repetitions=21       | repetitions is 21; choose 1 to 20
        --variants=v3,v9       | 'v9' is unknown. Choose from v0, v1, v2, v3, v4
        --topology=ring        | Choose from standalone, master-replica, sentinel, cluster
        --colour=red           | Unknown option: '--colour=red'
        """)
    void refusesAnInvalidExperimentOption(String option, String reason) {
        assertThat(run(new ExperimentCommand(), option)).isEqualTo(2);
        assertThat(output.toString()).contains(reason);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
        mutex                  | Unmatched argument at index 0: 'mutex'
        --seed=luck            | 'luck' is not a long
        --requests=3           | Unknown option: '--requests=3'
        """)
    void refusesAnInvalidGalleryOption(String option, String reason) {
        assertThat(run(new GalleryCommand(), option)).isEqualTo(2);
        assertThat(output.toString()).contains(reason);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
        --seconds=0            | seconds is 0; choose 1 to 3600
        --colour=red           | '--colour=red' is neither an option, nor an address such as redis://host:6379
        localhost              | 'localhost' is neither an option
        """)
    void refusesAnInvalidReportArgument(String argument, String reason) {
        assertThat(run(new ReportCommand(), argument)).isEqualTo(2);
        assertThat(output.toString()).contains(reason);
    }

    @Test
    void printsItsUsage() {
        assertThat(run(new ExperimentCommand(), "--help")).isZero();
        assertThat(run(new GalleryCommand(), "--help")).isZero();
        assertThat(run(new ReportCommand(), "--help")).isZero();
        assertThat(output.toString()).contains("--requests", "666", "double-failover", "ADDRESS", "Exit status");
    }

    private int run(DemoCommand command, String... arguments) {
        PrintWriter writer = new PrintWriter(output);
        return DemoCommand.commandLine(command).setOut(writer).setErr(writer).execute(arguments);
    }

    private static ExperimentCommand parsed(String... arguments) {
        ExperimentCommand command = new ExperimentCommand();
        CommandLine line = DemoCommand.commandLine(command);
        line.parseArgs(arguments);
        return command;
    }
}
