package io.github.lockstarter.model;

import static io.github.lockstarter.model.Faults.Kind.CLIENT_RESTART;
import static io.github.lockstarter.model.Faults.Kind.EMPTY_RESTART;
import static io.github.lockstarter.model.Faults.Kind.FAILOVER;
import static io.github.lockstarter.model.Faults.Kind.FLUSH;
import static io.github.lockstarter.model.Faults.Kind.FRESH;
import static io.github.lockstarter.model.Faults.Kind.LATE_ANSWER;
import static io.github.lockstarter.model.Faults.Kind.NEWCOMER;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.testing.Effort;
import java.util.EnumSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The protocol of the history guard, in every interleaving up to small bounds: no violation at the bound, and one as
 * soon as anything is left out. The output has the numbers of states, and the shortest violations as timelines.
 */
@Tag(Effort.FULL)
class HistoryGuardModelTests {

    private static final int MOST_STATES = 3_000_000;
    private static final EnumSet<Invariant> EXCLUSION = EnumSet.of(Invariant.EXCLUSION);
    private static final EnumSet<Invariant> FENCING = EnumSet.of(Invariant.FENCING);
    private static final EnumSet<Invariant> BOTH = EnumSet.allOf(Invariant.class);

    @ParameterizedTest
    @CsvSource({"1, 0", "1, 1", "1, 2"})
    void excludesAtTheBound(int lease, int window) {
        findsNoViolation(Rules.atTheBound(lease, window), Faults.failover(window), EXCLUSION);
    }

    @ParameterizedTest
    @CsvSource({"2, 0", "2, 1"})
    void excludesAtTheBoundOfALongerLease(int lease, int window) {
        findsNoViolation(Rules.atTheBound(lease, window), Faults.failover(window), EXCLUSION);
    }

    /** Elsewhere an answer arrives at once or never: a lease counts from the sending, so a delay only shortens it. */
    @Test
    void excludesAtTheBoundWithDelayedAnswers() {
        findsNoViolation(Rules.atTheBound(1, 1), Faults.of(1, FAILOVER, LATE_ANSWER), BOTH);
    }

    @ParameterizedTest
    @CsvSource({"1, 0", "1, 1"})
    void keepsFencingTokensGrowingAtTheBound(int lease, int window) {
        findsNoViolation(Rules.atTheBound(lease, window), Faults.failover(window), BOTH);
    }

    @Test
    void grantsTwiceWithoutTheGuard() {
        findsViolation(Rules.atTheBound(2, 0).with(Variation.NO_GUARD), Faults.failover(0), EXCLUSION);
    }

    @ParameterizedTest
    @CsvSource({"1, 0", "1, 2", "2, 0", "2, 1", "3, 2"})
    void grantsTwiceWithAGraceOneTickShort(int lease, int window) {
        Rules bound = Rules.atTheBound(lease, window);
        findsViolation(bound.withGrace(bound.grace() - 1), Faults.failover(window), EXCLUSION);
    }

    @ParameterizedTest
    @CsvSource({"2, 1", "3, 1", "3, 2"})
    void grantsTwiceWithAQuietPeriodOneTickShort(int lease, int window) {
        Rules bound = Rules.atTheBound(lease, window);
        findsViolation(bound.withQuiet(bound.quiet() - 1), Faults.failover(window), EXCLUSION);
    }

    @Test
    void grantsTwiceWhenLateAnswersCount() {
        findsViolation(
                Rules.atTheBound(2, 1).with(Variation.LATE_REPLIES), Faults.of(1, FAILOVER, LATE_ANSWER), EXCLUSION);
    }

    @Test
    void recognisesAFlushThatTheCallerCouldNotice() {
        findsNoViolation(Rules.atTheBound(2, 0), Faults.of(0, FLUSH), EXCLUSION);
        findsNoViolation(Rules.atTheBound(1, 1), Faults.of(1, FLUSH, FAILOVER), EXCLUSION);
    }

    @Test
    void recognisesARestartWithoutDataThatTheCallerCouldNotice() {
        findsNoViolation(Rules.atTheBound(1, 1), Faults.of(1, EMPTY_RESTART, FAILOVER), EXCLUSION);
    }

    @Test
    void recognisesLostDataEvenIfANewCallerCameFirst() {
        findsNoViolation(Rules.atTheBound(1, 1), Faults.of(1, FLUSH, EMPTY_RESTART, FAILOVER, NEWCOMER), EXCLUSION);
    }

    @Test
    void grantsTwiceIfANewCallerDisablesTheGuardForAll() {
        findsViolation(
                Rules.atTheBound(2, 0).with(Variation.FIRST_USE_FOR_ALL), Faults.of(0, FLUSH, NEWCOMER), EXCLUSION);
    }

    @Test
    void excludesAfterTheFirstUseEver() {
        findsNoViolation(Rules.atTheBound(1, 1), Faults.of(1, FAILOVER, FRESH), EXCLUSION);
    }

    @Test
    void grantsTwiceIfAPromotedReplicaWithoutAMarkerCountsAsUnused() {
        findsViolation(
                Rules.atTheBound(2, 1).with(Variation.TRUSTING_FIRST_USE), Faults.of(1, FAILOVER, FRESH), EXCLUSION);
    }

    /** Not covered by the guard of one server, which trusts a server that seems new. */
    @Test
    void grantsTwiceWhenDataAndMemoryOfTheCallerAreLost() {
        findsViolation(Rules.atTheBound(2, 0), Faults.of(0, FLUSH, CLIENT_RESTART), EXCLUSION);
        findsViolation(Rules.atTheBound(2, 0), Faults.of(0, EMPTY_RESTART, CLIENT_RESTART), EXCLUSION);
    }

    @Test
    void excludesWhateverIsLostIfTheFirstUseAlsoWaits() {
        Rules strict = Rules.atTheBound(1, 0).with(Variation.STRICT_FIRST_USE);
        Faults all = Faults.of(0, FAILOVER, FLUSH, EMPTY_RESTART, NEWCOMER, CLIENT_RESTART, FRESH);
        findsNoViolation(strict, all, EXCLUSION);
    }

    @Test
    void fencingTokensExceedReclaimedOnesOnASlowClock() {
        findsNoViolation(Rules.atTheBound(1, 0), Faults.failover(0).withClockBehind(2), FENCING);
    }

    @Test
    void repeatsFencingTokensIfAReclaimDoesNotSendThem() {
        findsViolation(
                Rules.atTheBound(1, 0).with(Variation.NO_FENCE_FLOOR),
                Faults.failover(0).withClockBehind(2),
                FENCING);
    }

    @ParameterizedTest
    @EnumSource(Invariant.class)
    void violatesAnInvariantIfTheCachedCheckIsReplicated(Invariant invariant) {
        findsViolation(
                Rules.atTheBound(1, 0).with(Variation.NOTE_ON_REPLICA), Faults.failover(0), EnumSet.of(invariant));
    }

    @ParameterizedTest
    @EnumSource(Invariant.class)
    void violatesAnInvariantIfTheCachedCheckOutlivesTheData(Invariant invariant) {
        findsViolation(
                Rules.atTheBound(1, 0).with(Variation.NOTE_OUTLIVES_DATA), Faults.of(0, FLUSH), EnumSet.of(invariant));
    }

    @Test
    void grantsTwiceIfTheCachedCheckCountsForAnotherMarker() {
        findsViolation(Rules.atTheBound(1, 0).with(Variation.NOTE_FOR_ALL), Faults.of(0, FLUSH, NEWCOMER), EXCLUSION);
    }

    @Test
    void grantsTwiceIfTheCheckOfAYoungHistoryIsCached() {
        findsViolation(Rules.atTheBound(2, 0).with(Variation.NOTE_OF_YOUNG_HISTORY), Faults.failover(0), EXCLUSION);
    }

    @Test
    void repeatsFencingTokensIfACheckIsCachedWithoutTheClock() {
        findsViolation(Rules.atTheBound(1, 0).with(Variation.NOTE_OF_ANY_LOOK), Faults.failover(0), FENCING);
    }

    @Test
    void keepsFencingTokensGrowingWhenTheCounterIsLost() {
        findsNoViolation(Rules.atTheBound(1, 1), Faults.of(1, FLUSH, EMPTY_RESTART), BOTH);
        findsNoViolation(Rules.atTheBound(1, 0), Faults.of(0, EMPTY_RESTART, FAILOVER), BOTH);
    }

    @Test
    void keepsFencingTokensGrowingWhateverIsLost() {
        findsNoViolation(Rules.atTheBound(1, 0), Faults.of(0, FLUSH, EMPTY_RESTART, FAILOVER), BOTH);
    }

    @Test
    void keepsFencingTokensGrowingWhenOtherLocksShareTheCounter() {
        findsNoViolation(Rules.atTheBound(1, 0), Faults.of(0, FLUSH, NEWCOMER), BOTH);
        findsNoViolation(Rules.atTheBound(1, 1), Faults.of(1, FAILOVER, NEWCOMER), BOTH);
    }

    private static ExplorationResult<SystemState, SystemStep> explored(HistoryGuardModel model) {
        return Explorer.explore(model, new CompactStates(false), MOST_STATES);
    }

    private static void findsNoViolation(Rules rules, Faults faults, EnumSet<Invariant> invariants) {
        HistoryGuardModel model = new HistoryGuardModel(rules, faults, invariants);
        ExplorationResult<?, SystemStep> found = Explorer.explore(model, new CompactStates(true), MOST_STATES);
        System.out.printf(
                "%s%n%s, %s: %d states, depth %d, no violation%n",
                invariants, rules, faults, found.states(), found.depth());
        if (found.foundViolation()) {
            assertThat(CounterexampleTable.of(explored(model))).isEmpty();
        }
        assertThat(found.counterexample()).isEmpty();
    }

    private static void findsViolation(Rules rules, Faults faults, EnumSet<Invariant> invariants) {
        HistoryGuardModel model = new HistoryGuardModel(rules, faults, invariants);
        ExplorationResult<SystemState, SystemStep> found = explored(model);
        System.out.printf(
                "%s%n%s, %s: violated after %d steps%n%s%n",
                invariants, rules, faults, found.depth(), CounterexampleTable.of(found));
        assertThat(found.foundViolation()).isTrue();
    }
}
