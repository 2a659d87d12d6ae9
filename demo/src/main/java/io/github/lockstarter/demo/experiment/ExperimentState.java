package io.github.lockstarter.demo.experiment;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.github.lockstarter.demo.KebabCase;
import io.github.lockstarter.demo.experiment.Experiment.Phase;
import io.github.lockstarter.demo.experiment.deployment.Deployment;
import io.github.lockstarter.demo.experiment.deployment.InstanceProcess;
import io.github.lockstarter.demo.experiment.deployment.LockTopology;
import io.github.lockstarter.demo.experiment.pageview.Variant;
import io.github.lockstarter.demo.experiment.run.Run;
import io.github.lockstarter.demo.experiment.run.RunResult;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The state of the experiment.
 *
 * @param phase {@code absent}, {@code starting}, {@code ready}, {@code stopping} or {@code failed}
 * @param failure why the set-up or the last run failed, if it did
 * @param topology place of the locks of v3; the default one without a deployment
 * @param instances the instances started so far
 * @param run the current run, if any
 * @param results earlier runs, oldest first
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
     * @param pid zero if it is not running
     * @param state {@code up}, {@code paused} or {@code down}
     */
    public record InstanceView(String id, int port, long pid, String state) {

        static InstanceView of(InstanceProcess instance) {
            return new InstanceView(instance.name(), instance.port(), instance.pid(), KebabCase.of(instance.status()));
        }
    }

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
                                ? LockTopology.STANDALONE
                                : deployment.plan().topology()),
                VariantView.all(),
                deployment == null
                        ? List.of()
                        : deployment.instances().stream().map(InstanceView::of).toList(),
                run == null ? null : RunView.of(run),
                List.copyOf(results));
    }
}
