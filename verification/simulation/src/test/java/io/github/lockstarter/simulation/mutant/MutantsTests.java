package io.github.lockstarter.simulation.mutant;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.lockstarter.testing.Effort;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Each mutant is killed: one of the first episodes violates an invariant that its rule protects. A usual build runs a
 * few of them; {@code -Pfull} runs all, and prints the lines of {@code docs/reliability/mutants.csv}.
 */
class MutantsTests {

    private static final int MOST_EPISODES = 10_000;

    /** Killed by one of the first episodes. */
    private static final Set<String> USUAL = Set.of(
            "release-any",
            "deadline-ignored",
            "max-hold-ignored",
            "minimum-not-kept",
            "no-signal",
            "all-signalled",
            "loss-untold");

    static List<Mutant> mutants() {
        return Mutants.all().stream()
                .filter(mutant -> Effort.of(0, 1) == 1 || USUAL.contains(mutant.name()))
                .toList();
    }

    @ParameterizedTest
    @MethodSource("mutants")
    void killsTheMutant(Mutant mutant) {
        Hunt hunt = Hunt.of(mutant, MOST_EPISODES);

        System.out.println(hunt);
        assertThat(hunt.kill())
                .as("%s is killed by one of %d episodes", mutant, hunt.episodes())
                .isPresent();
    }

    @Test
    void theProductHasWhatEachMutantChanges() {
        for (Mutant mutant : Mutants.all()) {
            assertThat(mutant.edits().size() + mutant.changes().size())
                    .as(mutant.name())
                    .isPositive();
            new EditedScripts(mutant.edits());
            ChangedMethods.requireThere(mutant.changes());
        }
    }

    @Test
    void refusesMutantsThatChangeNothing() {
        Mutant mutant = Mutant.named("none", "No rule", "I1");

        assertThatThrownBy(() -> Hunt.of(mutant.editing("release.lua", "not there", ""), 1))
                .hasMessageContaining("Not exactly once in release.lua");
        assertThatThrownBy(() -> Hunt.of(mutant.changing("engine.Grant", "none", Behaviour.nothing()), 1))
                .hasMessageContaining("has no method none");
        assertThatThrownBy(() -> Hunt.of(mutant.changing("engine.None", "none", Behaviour.nothing()), 1))
                .hasMessageContaining("No class");
    }
}
