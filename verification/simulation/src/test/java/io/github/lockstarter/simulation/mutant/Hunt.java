package io.github.lockstarter.simulation.mutant;

import io.github.lockstarter.kit.check.Violation;
import io.github.lockstarter.simulation.episode.Episode;
import io.github.lockstarter.simulation.episode.Plan;
import io.github.lockstarter.simulation.redis.LuaInterpreter;
import java.util.Optional;
import java.util.PrimitiveIterator;
import java.util.function.LongFunction;
import java.util.stream.LongStream;

/**
 * The search for an episode in which a mutant violates an invariant that its rule protects.
 *
 * @param seed of the last episode
 * @param kill the violation in that one; empty if the mutant survives
 */
record Hunt(Mutant mutant, long seed, Optional<Violation> kill) {

    /** Runs the episodes with these seeds, one after the other. */
    static Hunt of(Mutant mutant, LongStream seeds) {
        return of(mutant, seeds, Plan::of);
    }

    /** The same with other plans. */
    @SuppressWarnings("try") // the methods are changed while the resource is open
    static Hunt of(Mutant mutant, LongStream seeds, LongFunction<Plan> plans) {
        long seed = 0;
        try (LuaInterpreter lua = new LuaInterpreter(new EditedScripts(mutant.edits()));
                ChangedMethods ignored = new ChangedMethods(mutant.changes())) {
            PrimitiveIterator.OfLong next = seeds.iterator();
            while (next.hasNext()) {
                seed = next.nextLong();
                Optional<Violation> found = Episode.run(plans.apply(seed), lua).violations().stream()
                        .filter(violation -> mutant.invariants().contains(violation.invariant()))
                        .findFirst();
                if (found.isPresent()) {
                    return new Hunt(mutant, seed, found);
                }
            }
        }
        return new Hunt(mutant, seed, Optional.empty());
    }

    /** A line of the list of mutants. */
    @Override
    public String toString() {
        return kill.map(violation ->
                        "%s,\"%s\",%s,%d".formatted(mutant.name(), mutant.rule(), violation.invariant(), seed))
                .orElseGet(() -> mutant.name() + " survives all episodes up to seed " + seed);
    }
}
