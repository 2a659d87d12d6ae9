package io.github.lockstarter.simulation.episode;

import io.github.lockstarter.simulation.episode.Plan.PlannedCaller;
import io.github.lockstarter.simulation.episode.Plan.PlannedFault;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Finds a short plan with the same violation: removes faults and callers, and shortens sections and faults, one change
 * at a time, as long as the violation remains. Each purpose of a plan has its own random numbers, so a removal changes
 * the rest as little as possible.
 */
final class Shrinker {

    /** From here on, callers are made to do less one section at a time. */
    private static final int FEW = 4;

    private final Predicate<Plan> fails;
    private int runsLeft;

    /**
     * A shrinker.
     *
     * @param fails whether a plan shows the violation
     * @param mostRuns how many plans it tries
     */
    Shrinker(Predicate<Plan> fails, int mostRuns) {
        this.fails = fails;
        this.runsLeft = mostRuns;
    }

    /** The shortest plan that was found; each further change would make the violation go away, or was not tried. */
    @SuppressWarnings("ReferenceEquality") // the same plan: no step has changed it
    Plan shortest(Plan failing) {
        Plan shortest = failing;
        Plan shorter = step(shortest);
        while (shorter != shortest) {
            shortest = shorter;
            shorter = step(shortest);
        }
        return shortest;
    }

    /** The first of the shorter plans that still fails, or the plan itself. */
    private Plan step(Plan plan) {
        return shorter(plan)
                .filter(candidate -> runsLeft-- > 0 && fails.test(candidate))
                .findFirst()
                .orElse(plan);
    }

    private static Stream<Plan> shorter(Plan plan) {
        List<Plan> candidates = new ArrayList<>();
        for (int i = 0; i < plan.faults().size(); i++) {
            candidates.add(plan.withFaults(without(plan.faults(), i)));
        }
        for (int i = 0; i < plan.callers().size(); i++) {
            candidates.add(plan.withCallers(without(plan.callers(), i)));
        }
        for (int i = 0; i < plan.callers().size(); i++) {
            PlannedCaller caller = plan.callers().get(i);
            int fewer = fewer(caller.sections());
            if (fewer > 0) {
                PlannedCaller lazier = new PlannedCaller(caller.instance(), caller.number(), fewer);
                candidates.add(plan.withCallers(with(plan.callers(), i, lazier)));
            }
        }
        for (int i = 0; i < plan.faults().size(); i++) {
            PlannedFault fault = plan.faults().get(i);
            Duration half = Duration.ofMillis(fault.lasts().toMillis() / 2);
            if (!half.isZero()) {
                PlannedFault shorter = new PlannedFault(fault.kind(), fault.at(), half, fault.target());
                candidates.add(plan.withFaults(with(plan.faults(), i, shorter)));
            }
        }
        return candidates.stream();
    }

    private static int fewer(int sections) {
        if (sections == Integer.MAX_VALUE) {
            return 1 << 7;
        }
        return sections > FEW ? sections / 2 : sections - 1;
    }

    private static <T> List<T> without(List<T> all, int index) {
        List<T> fewer = new ArrayList<>(all);
        fewer.remove(index);
        return List.copyOf(fewer);
    }

    private static <T> List<T> with(List<T> all, int index, T other) {
        List<T> changed = new ArrayList<>(all);
        changed.set(index, other);
        return List.copyOf(changed);
    }
}
