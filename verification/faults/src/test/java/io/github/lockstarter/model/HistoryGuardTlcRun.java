package io.github.lockstarter.model;

import static io.github.lockstarter.model.Faults.Kind.CLIENT_RESTART;
import static io.github.lockstarter.model.Faults.Kind.EMPTY_RESTART;
import static io.github.lockstarter.model.Faults.Kind.FAILOVER;
import static io.github.lockstarter.model.Faults.Kind.FLUSH;
import static io.github.lockstarter.model.Faults.Kind.FRESH;
import static io.github.lockstarter.model.Faults.Kind.LATE_ANSWER;
import static io.github.lockstarter.model.Faults.Kind.NEWCOMER;
import static io.github.lockstarter.model.Invariant.EXCLUSION;
import static io.github.lockstarter.model.Invariant.FENCING;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.EnumSet;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * {@code HistoryGuard.tla} and {@link HistoryGuardModel} describe one transition system: where nothing is violated,
 * they have equally many distinct states, and a control has a shortest violation of as many steps in both.
 */
class HistoryGuardTlcRun {

    private static final int MOST_STATES = 3_000_000;

    static Stream<Arguments> bounds() {
        return Stream.of(
                Arguments.of(Rules.atTheBound(1, 1), Faults.failover(1), EnumSet.of(EXCLUSION)),
                Arguments.of(Rules.atTheBound(2, 0), Faults.of(0, FLUSH), EnumSet.of(EXCLUSION)),
                Arguments.of(
                        Rules.atTheBound(1, 1), Faults.of(1, FAILOVER, LATE_ANSWER), EnumSet.of(EXCLUSION, FENCING)));
    }

    @ParameterizedTest
    @MethodSource("bounds")
    void hasTheStatesOfTheJavaModel(Rules rules, Faults faults, EnumSet<Invariant> invariants) throws IOException {
        Exploration<?, ?> java = explored(rules, faults, invariants);
        Tlc.Result tlc = Tlc.check("HistoryGuard", getClass(), configuration(rules, faults, invariants), 2);

        System.out.printf("%s, %s, %s: %s in Java, %s%n", rules, faults, invariants, java.states(), tlc);
        assertThat(java.foundViolation()).isFalse();
        assertThat(tlc).isEqualTo(new Tlc.Result(java.states(), 0));
    }

    static Stream<Arguments> controls() {
        Rules short0 = Rules.atTheBound(1, 0);
        Rules long0 = Rules.atTheBound(2, 0);
        Rules long1 = Rules.atTheBound(2, 1);
        Faults newcomer = Faults.of(0, FLUSH, NEWCOMER);
        return Stream.of(
                Arguments.of(long0.with(Variation.NO_GUARD), Faults.failover(0), EXCLUSION),
                Arguments.of(long1.withGrace(2), Faults.failover(1), EXCLUSION),
                Arguments.of(long1.withQuiet(0), Faults.failover(1), EXCLUSION),
                Arguments.of(long1.with(Variation.LATE_REPLIES), Faults.of(1, FAILOVER, LATE_ANSWER), EXCLUSION),
                Arguments.of(long0.with(Variation.FIRST_USE_FOR_ALL), newcomer, EXCLUSION),
                Arguments.of(long1.with(Variation.TRUSTING_FIRST_USE), Faults.of(1, FAILOVER, FRESH), EXCLUSION),
                Arguments.of(long0, Faults.of(0, FLUSH, CLIENT_RESTART), EXCLUSION),
                Arguments.of(long0, Faults.of(0, EMPTY_RESTART, CLIENT_RESTART), EXCLUSION),
                Arguments.of(short0.with(Variation.NOTE_ON_REPLICA), Faults.failover(0), EXCLUSION),
                Arguments.of(short0.with(Variation.NOTE_ON_REPLICA), Faults.failover(0), FENCING),
                Arguments.of(short0.with(Variation.NOTE_OUTLIVES_DATA), Faults.of(0, FLUSH), EXCLUSION),
                Arguments.of(short0.with(Variation.NOTE_OUTLIVES_DATA), Faults.of(0, FLUSH), FENCING),
                Arguments.of(short0.with(Variation.NOTE_FOR_ALL), newcomer, EXCLUSION),
                Arguments.of(long0.with(Variation.NOTE_OF_YOUNG_HISTORY), Faults.failover(0), EXCLUSION),
                Arguments.of(short0.with(Variation.NOTE_OF_ANY_LOOK), Faults.failover(0), FENCING));
    }

    @ParameterizedTest
    @MethodSource("controls")
    void violatesTheInvariantAfterTheStepsOfTheJavaModel(Rules rules, Faults faults, Invariant invariant)
            throws IOException {
        EnumSet<Invariant> invariants = EnumSet.of(invariant);
        Exploration<?, ?> java = explored(rules, faults, invariants);
        Tlc.Result tlc = Tlc.check("HistoryGuard", getClass(), configuration(rules, faults, invariants), 1);

        System.out.printf("%s, %s, %s: %d steps in Java, %s%n", rules, faults, invariant, java.depth(), tlc);
        assertThat(java.foundViolation()).isTrue();
        assertThat(tlc.steps()).isEqualTo(java.depth());
    }

    private static Exploration<?, ?> explored(Rules rules, Faults faults, EnumSet<Invariant> invariants) {
        return CompactWorlds.exploreClientsAlike(new HistoryGuardModel(rules, faults, invariants), MOST_STATES);
    }

    private static List<String> configuration(Rules rules, Faults faults, EnumSet<Invariant> invariants) {
        return List.of(
                "INIT Init",
                "NEXT Next",
                "SYMMETRY Symmetry",
                "CONSTANTS",
                "Clients = {A, B}",
                "Lease = " + rules.lease(),
                "Grace = " + rules.grace(),
                "Quiet = " + rules.quiet(),
                "Window = " + faults.window(),
                "Fencing = " + (invariants.contains(FENCING) ? "TRUE" : "FALSE"),
                "Remembered = " + HistoryGuardModel.oldestCompared(rules, faults),
                "Faults = " + Tlc.set(faults.kinds()),
                "Variations = " + Tlc.set(rules.variations()),
                invariants.contains(EXCLUSION) ? "INVARIANT Exclusion" : "",
                invariants.contains(FENCING) ? "INVARIANT FencingGrows" : "");
    }
}
