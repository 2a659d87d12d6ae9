package io.github.lockstarter.demo.command;

import io.github.lockstarter.demo.KebabCase;
import io.github.lockstarter.demo.experiment.Experiment;
import io.github.lockstarter.demo.experiment.ExperimentListener;
import io.github.lockstarter.demo.experiment.deployment.DeploymentPlan;
import io.github.lockstarter.demo.experiment.deployment.LockTopology;
import io.github.lockstarter.demo.experiment.pageview.Variant;
import io.github.lockstarter.demo.experiment.run.RunEvent;
import io.github.lockstarter.demo.experiment.run.RunFault;
import io.github.lockstarter.demo.experiment.run.RunPlan;
import io.github.lockstarter.demo.experiment.run.RunResult;
import io.github.lockstarter.kit.process.Polling;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Deploys the experiment, runs each variant, prints the results, and removes everything. */
@Command(
        name = "experiment",
        description = {
            "Counts page views in five ways, with real instances, Redis servers and a reverse proxy, and prints the"
                    + " counters.",
            "v0 INCR, v1 no lock, v2 synchronized, v3 distributed lock, v4 Redlock"
        },
        footer = "Exit status: 0 when v0, v3 and v4 are exact; 1 when not, when something does not start, or when chaos"
                + " found nothing to hit in v3 or v4; 2 when an option is wrong.",
        sortOptions = false)
final class ExperimentCommand extends DemoCommand {

    private static final int MOST_REPETITIONS = 20;
    private static final Duration PROGRESS = Duration.ofMillis(500);
    private static final double MS_PER_SECOND = 1000;

    @Option(names = "--requests", defaultValue = "666", description = "requests at once, by default ${DEFAULT-VALUE}")
    private int requests;

    @Option(names = "--instances", defaultValue = "2", description = "instances, by default ${DEFAULT-VALUE}")
    private int instances;

    @Option(
            names = "--variants",
            split = ",",
            defaultValue = "v0,v1,v2,v3,v4",
            description = "what to run, in this order; by default ${DEFAULT-VALUE}")
    private List<Variant> variants = List.of();

    @Option(
            names = "--topology",
            split = ",",
            defaultValue = "standalone",
            description = "of Redis, for the locks of v3: standalone, master-replica, sentinel, cluster, or all; with"
                    + " several, v3 is run over each, and the other variants over the first")
    private List<String> topologies = List.of();

    @Option(
            names = "--repetitions",
            defaultValue = "1",
            description = "runs of each variant, in turns; the table then has medians")
    private int repetitions;

    @Option(
            names = "--chaos",
            description = "kill the holder of the lock, stop the next one for 3 s, and restart the servers of the locks"
                    + " in mid-run; print who had the lock, and when")
    private boolean chaos;

    private final Experiment experiment = new Experiment(new Printer(this::print));

    @Override
    int execute() {
        List<RunSeries> results = runAll();
        print("");
        print(RunSeries.TABLE
                .layOut(results.stream().map(RunSeries::row).toList())
                .stripTrailing());
        results.stream().flatMap(RunSeries::faults).forEach(this::print);
        print("");
        return judge(results);
    }

    @Override
    void check() {
        if (repetitions < 1 || repetitions > MOST_REPETITIONS) {
            throw new IllegalArgumentException("repetitions is " + repetitions + "; choose 1 to " + MOST_REPETITIONS);
        }
        new RunPlan(1, Variant.V0, requests, List.of());
        deployments();
    }

    @Override
    void end() {
        experiment.close();
    }

    /** The deployments in order. Other topologies only affect v3. */
    List<DeploymentPlan> deployments() {
        List<LockTopology> wanted = topologies.equals(List.of("all"))
                ? List.of(LockTopology.values())
                : topologies.stream().map(ExperimentCommand::topology).toList();
        return wanted.stream()
                .limit(variants.contains(Variant.V3) ? wanted.size() : 1)
                .map(topology -> new DeploymentPlan(instances, topology))
                .toList();
    }

    private static LockTopology topology(String name) {
        return KebabCase.find(LockTopology.class, name)
                .orElseThrow(() -> new IllegalArgumentException(
                        "There is no topology '" + name + "'. Choose from " + KebabCase.all(LockTopology.class)));
    }

    /** Sorted by variant, then topology. */
    private List<RunSeries> runAll() {
        List<RunSeries> all = new ArrayList<>();
        for (DeploymentPlan plan : deployments()) {
            experiment.setUp(plan).join();
            all.addAll(runOn(plan, all.isEmpty() ? variants : List.of(Variant.V3)));
        }
        all.sort(Comparator.comparingInt(series -> variants.indexOf(series.variant())));
        return all;
    }

    /** Alternates variants, so that other load on the machine affects all alike. */
    private List<RunSeries> runOn(DeploymentPlan plan, List<Variant> wanted) {
        Map<Variant, List<RunResult>> results = new EnumMap<>(Variant.class);
        for (int repetition = 1; repetition <= repetitions; repetition++) {
            for (Variant variant : wanted) {
                experiment.awaitInstances();
                print(announcement(variant, plan, repetition));
                results.computeIfAbsent(variant, none -> new ArrayList<>())
                        .add(await(experiment.run(variant, requests, chaos ? RunFault.CHAOS : List.of())));
            }
        }
        return results.entrySet().stream()
                .map(entry -> new RunSeries(entry.getKey(), plan.locksOf(entry.getKey()), entry.getValue()))
                .toList();
    }

    private String announcement(Variant variant, DeploymentPlan plan, int repetition) {
        String where = variant == Variant.V3 ? " over " + plan.locksOf(variant) : "";
        String turn = repetitions == 1 ? "" : ", run " + repetition + " of " + repetitions;
        return variant.id() + " (" + variant.title() + where + turn + "): " + requests + " requests at once";
    }

    private RunResult await(CompletableFuture<RunResult> run) {
        while (!Polling.until(run::isDone, PROGRESS)) {
            print("  " + experiment.answered() + " answered");
        }
        return run.join();
    }

    private int judge(List<RunSeries> results) {
        List<String> wrong = results.stream()
                .filter(series -> series.variant().isExact() && !series.isExact())
                .map(series -> series.variant().id() + " (" + series.locks() + ")")
                .toList();
        if (!wrong.isEmpty()) {
            print("Not exact: " + String.join(", ", wrong) + ". That should not happen; please report it.");
            return FAILED;
        }
        if (results.stream().anyMatch(series -> series.variant().isLocked() && !series.isComplete())) {
            print("Some faults of v3 and v4 hit no holder, so this run proves less than requested."
                    + " Raise --requests.");
            return FAILED;
        }
        return 0;
    }

    private record Printer(Consumer<String> out) implements ExperimentListener {

        @Override
        public void progressed(String text) {
            out.accept(text);
        }

        @Override
        public void happened(RunEvent event) {
            if (event instanceof RunEvent.Interference interference) {
                out.accept(String.format(
                        Locale.ROOT, "  %.1f s: %s", interference.at() / MS_PER_SECOND, interference.text()));
            }
        }
    }
}
