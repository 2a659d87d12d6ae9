package io.github.lockstarter.demo.experiment;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.github.lockstarter.demo.KebabCase;
import io.github.lockstarter.demo.experiment.Experiment.Phase;
import io.github.lockstarter.demo.experiment.deployment.Deployment;
import io.github.lockstarter.demo.experiment.deployment.Instance;
import io.github.lockstarter.demo.experiment.deployment.Topology;
import io.github.lockstarter.demo.experiment.pageview.Variant;
import io.github.lockstarter.demo.experiment.run.Run;
import io.github.lockstarter.demo.experiment.run.RunResult;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How the experiment stands.
 *
 * @param phase {@code absent}, {@code starting}, {@code ready}, {@code stopping} or {@code failed}
 * @param failure why the deployment could not be set up, or the last run came to nothing, if that is so
 * @param topology where the locks of v3 are kept; the usual one while there is no deployment
 * @param variants what can be run
 * @param instances the instances, as far as they are there
 * @param run the run that is under way, if there is one
 * @param results of earlier runs, oldest first
 */
@JsonInclude(JsonInclude.Include.ALWAYS)
public record ExperimentState(
        String phase,
        @Nullable String failure,
        String topology,
        List<VariantView> variants,
        List<InstanceView> instances,
        @Nullable RunView run,
        List<RunResult> results) {

    /**
     * A variant.
     *
     * @param id short name
     * @param name in words
     */
    public record VariantView(String id, String name) {

        static List<VariantView> all() {
            return Arrays.stream(Variant.values())
                    .map(variant -> new VariantView(variant.id(), variant.title()))
                    .toList();
        }
    }

    /**
     * An instance.
     *
     * @param id its name
     * @param port where it listens
     * @param pid its process, zero while there is none
     * @param state {@code up}, {@code paused} or {@code down}
     */
    public record InstanceView(String id, int port, long pid, String state) {

        static InstanceView of(Instance instance) {
            return new InstanceView(instance.name(), instance.port(), instance.pid(), KebabCase.of(instance.status()));
        }
    }

    /**
     * A run that is under way.
     *
     * @param id its number
     * @param variant its variant
     * @param requests how many requests
     * @param running true
     */
    public record RunView(long id, String variant, int requests, boolean running) {

        static RunView of(Run run) {
            return new RunView(
                    run.plan().id(), run.plan().variant().id(), run.plan().requests(), true);
        }
    }

    static ExperimentState of(
            Phase phase,
            @Nullable String failure,
            @Nullable Deployment deployment,
            @Nullable Run run,
            List<RunResult> results) {
        return new ExperimentState(
                KebabCase.of(phase),
                failure,
                KebabCase.of(
                        deployment == null
                                ? Topology.STANDALONE
                                : deployment.plan().topology()),
                VariantView.all(),
                deployment == null
                        ? List.of()
                        : deployment.instances().stream().map(InstanceView::of).toList(),
                run == null ? null : RunView.of(run),
                List.copyOf(results));
    }
}
