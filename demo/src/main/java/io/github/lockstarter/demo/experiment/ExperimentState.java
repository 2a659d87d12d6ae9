package io.github.lockstarter.demo.experiment;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.github.lockstarter.demo.experiment.pageview.Variant;
import io.github.lockstarter.demo.experiment.run.Run;
import io.github.lockstarter.demo.experiment.run.RunResult;
import io.github.lockstarter.demo.experiment.stage.Instance;
import io.github.lockstarter.demo.experiment.stage.Topology;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * How the experiment stands.
 *
 * @param stage {@code absent}, {@code starting}, {@code ready}, {@code stopping} or {@code failed}
 * @param failure why the stage could not be set up, or the last run came to nothing, if that is so
 * @param topology where the locks of v3 are kept; the usual one while there is no stage
 * @param proxy the reverse proxy, once there is one
 * @param variants what can be run
 * @param instances the instances, as far as they are there
 * @param run the run that is under way, if there is one
 * @param results of earlier runs, oldest first
 */
@JsonInclude(JsonInclude.Include.ALWAYS)
public record ExperimentState(
        String stage,
        @Nullable String failure,
        String topology,
        @Nullable String proxy,
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
            return new InstanceView(
                    instance.name(),
                    instance.port(),
                    instance.pid(),
                    instance.status().name().toLowerCase(Locale.ROOT));
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

    static ExperimentState of(Scene scene) {
        return new ExperimentState(
                scene.phase().name().toLowerCase(Locale.ROOT),
                scene.failure(),
                scene.stage() == null
                        ? Topology.STANDALONE.id()
                        : scene.stage().plan().topology().id(),
                scene.stage() == null ? null : scene.stage().proxyName().orElse(null),
                VariantView.all(),
                scene.stage() == null
                        ? List.of()
                        : scene.stage().instances().stream()
                                .map(InstanceView::of)
                                .toList(),
                scene.run() == null ? null : RunView.of(scene.run()),
                scene.results());
    }
}
