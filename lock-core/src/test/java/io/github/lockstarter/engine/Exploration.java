package io.github.lockstarter.engine;

import io.github.lockstarter.engine.Steps.Step;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * All states that an engine reaches with a number of disturbances: states with fewer disturbances first, and of these
 * the nearest first. Only the path to a state is kept: a new engine repeats it to continue from the state. From each
 * state the engine is also brought to rest.
 */
final class Exploration {

    private record Reached(UUID state, List<Step> path, List<String> broken) {

        boolean isDisturbed() {
            return path.get(path.size() - 1).isDisturbance();
        }
    }

    private final Supplier<ManualEngine> engines;

    /** Disturbances that it follows. */
    private final Predicate<Step> which;

    /** All that differ. */
    final Set<UUID> states = new HashSet<>();

    /** The shortest path to a broken rule, and the rule; empty if none is broken. */
    final List<String> violation = new ArrayList<>();

    private Exploration(Supplier<ManualEngine> engines, Predicate<Step> which) {
        this.engines = engines;
        this.which = which;
    }

    /** Explores until a rule is broken, or nothing is left. */
    static Exploration of(Supplier<ManualEngine> engines, int mostDisturbances) {
        return of(engines, mostDisturbances, any -> true);
    }

    /** The same with these disturbances only. */
    static Exploration of(Supplier<ManualEngine> engines, int mostDisturbances, Predicate<Step> which) {
        Exploration exploration = new Exploration(engines, which);
        exploration.explore(mostDisturbances);
        return exploration;
    }

    private void explore(int mostDisturbances) {
        Map<UUID, List<Step>> disturbed = new LinkedHashMap<>(Map.of(Fingerprint.of(engines.get()), List.of()));
        for (int left = mostDisturbances; left >= 0; left--) {
            Map<UUID, List<Step>> nearest = disturbed;
            disturbed = new LinkedHashMap<>();
            while (!nearest.isEmpty() && violation.isEmpty()) {
                nearest = follow(nearest, left > 0, disturbed);
            }
        }
    }

    /** The states one step further; those after a disturbance are queued separately. */
    private Map<UUID, List<Step>> follow(
            Map<UUID, List<Step>> nearest, boolean mayDisturb, Map<UUID, List<Step>> disturbed) {
        nearest.keySet().removeIf(state -> !states.add(state));
        List<Reached> reached = List.copyOf(nearest.values()).parallelStream()
                .flatMap(path -> reachedFrom(path, mayDisturb))
                .toList();
        Map<UUID, List<Step>> further = new LinkedHashMap<>();
        for (Reached each : reached) {
            (each.isDisturbed() ? disturbed : further).putIfAbsent(each.state, each.path);
            if (violation.isEmpty() && !each.broken.isEmpty()) {
                each.path.forEach(step -> violation.add(step.toString()));
                violation.addAll(each.broken);
            }
        }
        return further;
    }

    private Stream<Reached> reachedFrom(List<Step> path, boolean mayDisturb) {
        List<Reached> reached = new ArrayList<>();
        ManualEngine resting = replay(path);
        for (Step step : resting.steps()) {
            if (!step.isDisturbance() || (mayDisturb && which.test(step))) {
                ManualEngine engine = replay(path);
                engine.takeAndCheck(step);
                reached.add(reachedBy(path, List.of(step), engine));
            }
        }
        List<Step> toRest = resting.comeToRest();
        if (!resting.violations.isEmpty()) {
            reached.add(reachedBy(path, toRest, resting));
        }
        return reached.stream().filter(each -> !each.broken.isEmpty() || !states.contains(each.state));
    }

    private ManualEngine replay(List<Step> path) {
        ManualEngine engine = engines.get();
        path.forEach(engine::take);
        return engine;
    }

    private static Reached reachedBy(List<Step> path, List<Step> more, ManualEngine engine) {
        List<Step> whole = Stream.concat(path.stream(), more.stream()).toList();
        return new Reached(Fingerprint.of(engine), whole, engine.violations);
    }
}
