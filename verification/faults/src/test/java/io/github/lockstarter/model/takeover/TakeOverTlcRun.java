package io.github.lockstarter.model.takeover;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.model.Exploration;
import io.github.lockstarter.model.Tlc;
import java.io.IOException;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * {@code TakeOver.tla} and {@link CrashTakeOverModel} with one lock describe one transition system: where nothing is
 * violated, they have equally many distinct states, and a shortest violation has as many steps in both.
 */
class TakeOverTlcRun {

    private static final int MOST_STATES = 5_000_000;

    static Stream<Rules> configurations() {
        return CrashTakeOverModelTests.configurations().stream().filter(rules -> rules.locks() == 1);
    }

    @ParameterizedTest
    @MethodSource("configurations")
    void hasTheStatesOfTheJavaModel(Rules rules) throws IOException {
        Exploration<World, Step> java = explored(CrashTakeOverModel.ofExclusion(rules));
        Tlc.Result tlc = Tlc.check("TakeOver", getClass(), configuration(rules, "Next", "Exclusion"), 2);

        System.out.printf("%s: %d states in Java, %s%n", rules, java.states(), tlc);
        assertThat(java.foundViolation()).isFalse();
        assertThat(tlc).isEqualTo(new Tlc.Result(java.states(), 0));
    }

    static Stream<Arguments> rulesLeftOut() {
        return CrashTakeOverModelTests.rulesLeftOut();
    }

    @ParameterizedTest
    @MethodSource("rulesLeftOut")
    void violatesExclusionAfterTheStepsOfTheJavaModelWithoutTheRule(Rule rule, Rules rules, int steps)
            throws IOException {
        Tlc.Result tlc = Tlc.check("TakeOver", getClass(), configuration(rules.without(rule), "Next", "Exclusion"), 1);

        System.out.printf("%s: %s%n", rules.without(rule), tlc);
        assertThat(tlc.steps()).isEqualTo(steps);
    }

    static List<Rules> topologies() {
        return CrashTakeOverModelTests.topologies();
    }

    @ParameterizedTest
    @MethodSource("topologies")
    void takesOverFromASilentHolderAfterTheStepsOfTheJavaModel(Rules rules) throws IOException {
        Exploration<World, Step> java = explored(CrashTakeOverModel.ofSilence(rules));
        Tlc.Result tlc = Tlc.check("TakeOver", getClass(), configuration(rules, "Others", "NeverTakenOver"), 1);

        System.out.printf("%s, silent holder: %d steps in Java, %s%n", rules, java.depth(), tlc);
        assertThat(java.foundViolation()).isTrue();
        assertThat(tlc.steps()).isEqualTo(java.depth());
    }

    private static Exploration<World, Step> explored(CrashTakeOverModel model) {
        return CompactWorlds.explore(model, MOST_STATES);
    }

    private static List<String> configuration(Rules rules, String next, String invariant) {
        return List.of(
                "INIT Init",
                "NEXT " + next,
                "CONSTANTS",
                "T = " + rules.takeOver(),
                "Lease = " + rules.lease(),
                "Window = " + rules.window(),
                "Left = " + Tlc.set(rules.left()),
                "Faults = " + Tlc.set(rules.faults()),
                "INVARIANT " + invariant);
    }
}
