package io.github.lockstarter.simulation.mutant;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.lockstarter.testing.Effort;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Each mutant is killed: an episode violates an invariant that its rule protects. The one on record runs first, and if
 * it no longer does, the search begins at seed 1. A usual build runs a few mutants; {@code -Pfull} runs all, and prints
 * the lines of the record.
 */
class MutantsTests {

    private static final Path RECORD = Path.of("../../docs/reliability/mutants.csv");
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
    void killsTheMutant(Mutant mutant) throws IOException {
        Hunt hunt = Hunt.of(
                mutant, LongStream.concat(LongStream.of(seedOf(mutant)), LongStream.rangeClosed(1, MOST_EPISODES)));

        System.out.println(hunt);
        assertThat(hunt.kill())
                .as("%s is killed by one of %d episodes", mutant, MOST_EPISODES)
                .isPresent();
    }

    private static long seedOf(Mutant mutant) throws IOException {
        String line = Files.readAllLines(RECORD).stream()
                .filter(each -> each.startsWith(mutant.name() + ","))
                .findFirst()
                .orElseThrow(() -> new AssertionError(RECORD + " has no " + mutant.name()));
        return Long.parseLong(line.substring(line.lastIndexOf(',') + 1));
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

        assertThatThrownBy(() -> Hunt.of(mutant.editing("release.lua", "not there", ""), LongStream.empty()))
                .hasMessageContaining("Not exactly once in release.lua");
        assertThatThrownBy(
                        () -> Hunt.of(mutant.changing("engine.Grant", "none", Behaviour.nothing()), LongStream.empty()))
                .hasMessageContaining("has no method none");
        assertThatThrownBy(
                        () -> Hunt.of(mutant.changing("engine.None", "none", Behaviour.nothing()), LongStream.empty()))
                .hasMessageContaining("No class");
    }
}
