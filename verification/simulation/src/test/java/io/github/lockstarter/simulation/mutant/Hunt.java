package io.github.lockstarter.simulation.mutant;

import io.github.lockstarter.kit.check.Violation;
import io.github.lockstarter.simulation.episode.Episode;
import io.github.lockstarter.simulation.episode.Plan;
import io.github.lockstarter.simulation.redis.LuaInterpreter;
import java.util.Optional;

/**
 * The search for an episode in which a mutant violates an invariant that its rule protects.
 *
 * @param episodes number of episodes
 * @param kill the violation of the last one; empty if the mutant survives
 */
record Hunt(Mutant mutant, long episodes, Optional<Violation> kill) {

    /** Runs episodes with the seeds 1, 2 and so on, at most so many. */
    @SuppressWarnings("try") // the methods are changed while the resource is open
    static Hunt of(Mutant mutant, int most) {
        try (LuaInterpreter lua = new LuaInterpreter(new EditedScripts(mutant.edits()));
                ChangedMethods ignored = new ChangedMethods(mutant.changes())) {
            for (long seed = 1; seed <= most; seed++) {
                Optional<Violation> found = Episode.run(Plan.of(seed), lua).violations().stream()
                        .filter(violation -> mutant.invariants().contains(violation.invariant()))
                        .findFirst();
                if (found.isPresent()) {
                    return new Hunt(mutant, seed, found);
                }
            }
        }
        return new Hunt(mutant, most, Optional.empty());
    }

    /** A line of the list of mutants; the seed of the last episode is the number of episodes. */
    @Override
    public String toString() {
        return kill.map(violation ->
                        "%s,\"%s\",%s,%d".formatted(mutant.name(), mutant.rule(), violation.invariant(), episodes))
                .orElseGet(() -> mutant.name() + " survives " + episodes + " episodes");
    }
}
