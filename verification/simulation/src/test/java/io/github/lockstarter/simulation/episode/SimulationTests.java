package io.github.lockstarter.simulation.episode;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.simulation.redis.LuaInterpreter;
import io.github.lockstarter.testing.Effort;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongFunction;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/**
 * Episodes with random faults violate no invariant. Prints the seed of the first one; {@code -Dlock.test.seed} runs the
 * episode of one seed alone, or {@code -Dlock.test.episodes} from that seed on, and prints the shortest plan that
 * violates the same invariant.
 */
class SimulationTests {

    private static final int EPISODES = Effort.of(24, 3_000);
    private static final int LONGEST_TRACE = 5;

    private static final LuaInterpreter LUA = new LuaInterpreter();

    @AfterAll
    static void close() {
        LUA.close();
    }

    @Test
    void violatesNoInvariant() {
        violatesNoInvariant(Plan::of, EPISODES);
    }

    @Test
    void violatesNoInvariantWithDetachedLocks() {
        violatesNoInvariant(seed -> Plan.of(seed).withTickets(), EPISODES / 2);
    }

    private static void violatesNoInvariant(LongFunction<Plan> plans, int episodes) {
        Long one = Long.getLong("lock.test.seed");
        long first = one == null ? System.nanoTime() : one;
        int count = Integer.getInteger("lock.test.episodes", one == null ? episodes : 1);
        System.out.println("Episodes from -Dlock.test.seed=" + first + " on");
        long began = System.nanoTime();
        long grants = 0;
        long attached = 0;
        Map<FaultKind, Integer> faults = new TreeMap<>();
        List<Finding> findings = new ArrayList<>();

        for (long seed = first; seed < first + count && findings.size() < LONGEST_TRACE; seed++) {
            Episode.Outcome outcome = run(plans.apply(seed));
            grants += outcome.grants();
            attached += outcome.attached();
            outcome.faults().forEach(kind -> faults.merge(kind, 1, Integer::sum));
            if (!outcome.violations().isEmpty()) {
                findings.add(Finding.of(outcome).shortest(LUA));
            }
        }

        double seconds = (System.nanoTime() - began) / 1e9;
        System.out.printf(
                "%d episodes in %.1f s (%.0f a second), %d grants, %d locks attached, faults %s%n",
                count, seconds, count / seconds, grants, attached, faults);
        assertThat(findings).isEmpty();
    }

    private static Episode.Outcome run(Plan plan) {
        try {
            return Episode.run(plan, LUA);
        } catch (RuntimeException | Error e) {
            throw new AssertionError("The episode of -Dlock.test.seed=" + plan.seed() + " failed", e);
        }
    }

    @Test
    void runsTheSameEpisodeForTheSameSeed() {
        for (long seed = 1; seed <= Effort.of(3, 10); seed++) {
            assertThat(Episode.run(Plan.of(seed), LUA).events())
                    .isEqualTo(Episode.run(Plan.of(seed), LUA).events());
        }
    }
}
