package io.github.lockstarter.simulation.episode;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.kit.check.Violation;
import io.github.lockstarter.simulation.redis.LuaInterpreter;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class SimulationTests {

    @Test
    void violatesNoInvariant() {
        long first = Long.getLong("sim.seed", 1);
        int count = Integer.getInteger("sim.episodes", 500);
        long began = System.nanoTime();
        long grants = 0;
        Map<FaultKind, Integer> faults = new TreeMap<>();
        Map<String, Integer> kinds = new TreeMap<>();
        try (LuaInterpreter lua = new LuaInterpreter()) {
            for (long seed = first; seed < first + count; seed++) {
                Episode.Outcome outcome = Episode.run(Plan.of(seed), lua);
                grants += outcome.grants();
                outcome.faults().forEach(kind -> faults.merge(kind, 1, Integer::sum));
                if (!outcome.violations().isEmpty()) {
                    Violation one = outcome.violations().get(0);
                    kinds.merge(one.invariant(), 1, Integer::sum);
                    System.out.println("seed " + seed + ": " + one.invariant() + " " + one.key() + " at " + one.at()
                            + ": " + one.what());
                    if (Boolean.getBoolean("sim.trace")) {
                        System.out.println(outcome.plan());
                        outcome.events().forEach(event -> System.out.println(event.toJson()));
                        outcome.violations().forEach(System.out::println);
                    }
                }
            }
        }
        System.out.println(count + " episodes in " + (System.nanoTime() - began) / 1_000_000 + " ms, " + grants
                + " grants, faults " + faults + ", violations " + kinds);
        assertThat(kinds).isEmpty();
    }
}
