package io.github.lockstarter.demo.experiment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.lockstarter.demo.experiment.pageview.Variant;
import io.github.lockstarter.demo.experiment.stage.Backend;
import io.github.lockstarter.demo.experiment.stage.StagePlan;
import io.github.lockstarter.demo.experiment.stage.Topology;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ExperimentOptionsTests {

    @Test
    void runsAllVariantsWithTheNumberOfTheArticles() {
        assertThat(ExperimentOptions.parse(List.of()))
                .isEqualTo(new ExperimentOptions(
                        666,
                        2,
                        Backend.REDIS,
                        List.of(Topology.STANDALONE),
                        List.of(Variant.V0, Variant.V1, Variant.V2, Variant.V3, Variant.V4),
                        1,
                        false));
    }

    @Test
    void readsEachOption() {
        assertThat(ExperimentOptions.parse(List.of(
                        "--chaos",
                        "--requests=60",
                        "--topology=sentinel,master-replica",
                        "--variants=v3,v1",
                        "--instances=3",
                        "--repetitions=5")))
                .isEqualTo(new ExperimentOptions(
                        60,
                        3,
                        Backend.REDIS,
                        List.of(Topology.SENTINEL, Topology.MASTER_REPLICA),
                        List.of(Variant.V3, Variant.V1),
                        5,
                        true));
    }

    @Test
    void runsOnlyTheLocksThatMoveOverEachTopology() {
        ExperimentOptions all = ExperimentOptions.parse(List.of("--topology=all", "--variants=v1,v3,v4"));

        List<StagePlan> stages = all.stages();

        assertThat(stages)
                .extracting(StagePlan::topology)
                .containsExactly(Topology.STANDALONE, Topology.MASTER_REPLICA, Topology.SENTINEL, Topology.CLUSTER);
        assertThat(all.variantsOn(stages.get(0))).containsExactly(Variant.V1, Variant.V3, Variant.V4);
        assertThat(all.variantsOn(stages.get(3))).containsExactly(Variant.V3);
    }

    @Test
    void setsNothingUpForATopologyThatNoVariantNeeds() {
        assertThat(ExperimentOptions.parse(List.of("--topology=sentinel,cluster", "--variants=v1,v4"))
                        .stages())
                .containsExactly(new StagePlan(2, Topology.SENTINEL));
    }

    @Test
    void readsTheBackendAndRefusesATopologyBesideIt() {
        assertThat(ExperimentOptions.parse(List.of("--backend=zookeeper", "--instances=3"))
                        .stages())
                .containsExactly(new StagePlan(3, Backend.ZOOKEEPER, Topology.STANDALONE));
        assertThatThrownBy(() -> ExperimentOptions.parse(List.of("--backend=jdbc", "--topology=sentinel")))
                .isInstanceOf(UsageException.class)
                .hasMessageContaining(
                        "--topology=sentinel is one of Redis, and --backend=jdbc keeps the locks elsewhere");
    }

    @ParameterizedTest
    @CsvSource({
        "--requests=0, --requests='0' is no number from 1 to 5000",
        "--requests=, --requests='' is no number from 1 to 5000",
        "--instances=nine, --instances='nine' is no number from 1 to 8",
        "--variants=v5, Choose from v0",
        "--backend=mongo, 'Choose one of redis, redlock, jdbc, zookeeper, etcd'",
        "--topology=ring, 'Choose from standalone, master-replica, sentinel, cluster, with commas, or all'",
        "'--topology=sentinel,', --topology has ''",
        "--repetitions=21, --repetitions='21' is no number from 1 to 20",
        "--chaos=maybe, 'Write --chaos, or leave it out'",
        "--request=5, 'Unknown option ''--request=5''. Known are --requests'"
    })
    void saysWhatToChange(String argument, String message) {
        assertThatThrownBy(() -> ExperimentOptions.parse(List.of(argument)))
                .isInstanceOf(UsageException.class)
                .hasMessageContaining(message);
    }

    @Test
    void refusesWithAStatusOfItsOwnBeforeAnythingStarts() {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();

        int status = ExperimentCommand.run(List.of("--instances=99"), new PrintStream(out), new PrintStream(err));

        assertThat(status).isEqualTo(2);
        assertThat(out.size()).isZero();
        assertThat(err.toString(StandardCharsets.UTF_8)).contains("no number from 1 to 8");
    }

    @Test
    void explainsItself() {
        ByteArrayOutputStream out = new ByteArrayOutputStream();

        int status = ExperimentCommand.run(List.of("--help"), new PrintStream(out), System.err);

        assertThat(status).isZero();
        assertThat(out.toString(StandardCharsets.UTF_8)).contains("--requests=666", "--chaos", "Exit status");
    }
}
