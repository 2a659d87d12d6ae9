package io.github.lockstarter.model.takeover;

import static io.github.lockstarter.model.takeover.Fault.COMMANDS_GO_BACK;
import static io.github.lockstarter.model.takeover.Fault.FAILOVER;
import static io.github.lockstarter.model.takeover.Fault.HALF_OPEN;
import static io.github.lockstarter.model.takeover.Fault.LATE_ANSWERS;
import static io.github.lockstarter.model.takeover.Fault.NEW_HOLDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.model.Exploration;
import io.github.lockstarter.testing.Effort;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Crash take-over, in every interleaving up to small bounds: no tick in which the taker has the lock and the holder is
 * certain of it, and one as soon as a rule is left out. The output has the numbers of states, and the shortest
 * violations as timelines.
 *
 * <p>With T of one tick no heartbeat outlives a tick, so that only confirmations make certain: T is two at least where
 * it is about heartbeats.
 */
@Tag(Effort.SLOW)
class CrashTakeOverModelTests {

    private static final int MOST_STATES = 3_000_000;

    @ParameterizedTest
    @CsvSource({"1, 3", "2, 4", "3, 4", "3, 5"})
    void excludesOnOneServer(int takeOver, int lease) {
        findsNoViolation(Rules.of(takeOver, lease, 0));
    }

    @Test
    void excludesOnOneServerWithDelaysOldConnectionsAndNewHolds() {
        findsNoViolation(Rules.of(2, 4, 0, LATE_ANSWERS, HALF_OPEN, NEW_HOLDS));
    }

    @ParameterizedTest
    @CsvSource({"1, 3, 0", "1, 3, 1", "2, 3, 0", "2, 3, 1", "2, 3, 2"})
    void excludesInAFailover(int takeOver, int lease, int window) {
        findsNoViolation(Rules.of(takeOver, lease, window, FAILOVER));
    }

    @ParameterizedTest
    @EnumSource(
            value = Fault.class,
            names = {"COMMANDS_GO_BACK", "RENEWAL_OFF", "LATE_ANSWERS"})
    void excludesInAFailoverWithAFurtherFault(Fault further) {
        findsNoViolation(Rules.of(2, 3, 0, FAILOVER, further));
    }

    @ParameterizedTest
    @CsvSource({"2, 4, 1", "3, 4, 0"})
    @Tag(Effort.FULL)
    void excludesInAFailoverOfLongLeases(int takeOver, int lease, int window) {
        findsNoViolation(Rules.of(takeOver, lease, window, FAILOVER));
    }

    @Test
    @Tag(Effort.FULL)
    void excludesInAFailoverWithNewHolds() {
        findsNoViolation(Rules.of(2, 3, 1, FAILOVER, NEW_HOLDS));
    }

    /** The replica is behind by less than a tick: with any lag the states are too many. */
    @Test
    @Tag(Effort.FULL)
    void excludesInAFailoverWithOldConnections() {
        findsNoViolation(Rules.of(2, 3, 0, FAILOVER, HALF_OPEN).withLag(0));
    }

    /** These rules make doubt end sooner or begin sooner. Exclusion does not need them. */
    @Test
    void excludesAlsoIfNothingButAnotherConnectionEndsAnEpoch() {
        findsNoViolation(Rules.of(2, 3, 1, FAILOVER)
                .without(Rule.UNHEARD_ENDS_EPOCH, Rule.FAILURE_ENDS_EPOCH, Rule.LAPSE_ENDS_EPOCH));
    }

    @Test
    void excludesAlsoIfMarksAreWrittenInTheGrace() {
        findsNoViolation(Rules.of(2, 3, 1, FAILOVER).without(Rule.NO_MARK_IN_GRACE));
    }

    @Test
    void grantsTwiceWhenTheTakerWaitsOneTickLess() {
        findsViolationWithout(Rule.TAKER_WAITS_T, Rules.of(2, 4, 0));
    }

    @Test
    void grantsTwiceWhenAHeartbeatCountsFromItsAnswer() {
        findsViolationWithout(Rule.BEAT_COUNTS_FROM_SENDING, Rules.of(2, 4, 0));
    }

    @Test
    void grantsTwiceWhenANewEpochIsTrustedWithoutARenewal() {
        findsViolationWithout(Rule.EPOCH_NEEDS_CONFIRMATION, Rules.of(2, 4, 0));
    }

    @Test
    void grantsTwiceWhenARenewalLeavesTheMark() {
        findsViolationWithout(Rule.RENEWAL_DELETES_MARK, Rules.of(2, 4, 0));
    }

    @Test
    void grantsTwiceWhenTheMarkOutlivesTheToken() {
        findsViolationWithout(Rule.MARK_NAMES_TOKEN, Rules.of(2, 4, 0, NEW_HOLDS));
    }

    @Test
    void grantsTwiceWhenALockIsTakenOverInTheGrace() {
        findsViolationWithout(Rule.NO_TAKE_OVER_IN_GRACE, Rules.of(2, 3, 1, FAILOVER));
    }

    @Test
    void grantsTwiceWhenTheServerOfTheMailboxIsAsked() {
        findsViolationWithout(Rule.BEAT_ASKS_COMMAND_SERVER, Rules.of(2, 3, 0, FAILOVER));
    }

    /** A server may execute the SUBSCRIBE of a connection that the holder gave up before, and so hear it once more. */
    @Test
    void grantsTwiceWhenAHeartbeatAsksForAnyConnection() {
        findsViolationWithout(Rule.BEAT_ASKS_FOR_ITS_CONNECTION, Rules.of(2, 4, 0, HALF_OPEN));
    }

    @Test
    void grantsTwiceWhenAHeartbeatIsAnsweredOnAnyConnection() {
        findsViolationWithout(Rule.BEAT_COMPARES_CONNECTION, Rules.of(2, 4, 0));
    }

    @Test
    void grantsTwiceWhenAHeartbeatThatIsSentAgainCountsUnderTheOldNumber() {
        findsViolationWithout(Rule.NUMBER_ENDS_WITH_DISCONNECT, Rules.of(2, 4, 0));
    }

    @Test
    void grantsTwiceWhenAnEpochOutlivesTheConnectionOfTheCommands() {
        findsViolationWithout(Rule.NUMBER_COVERS_COMMANDS, Rules.of(2, 3, 0, FAILOVER, COMMANDS_GO_BACK));
    }

    /** The new master may not have the take-over, or the old one grants it within w. */
    @ParameterizedTest
    @CsvSource({"1, 3, 0", "2, 3, 0", "2, 3, 1", "2, 3, 2"})
    void grantsTwiceWhenAForgottenTakeOverIsNotReckonedWith(int takeOver, int lease, int window) {
        findsViolationWithout(Rule.YOUNG_HISTORY_CONFIRMS_CERTAIN_ONLY, Rules.of(takeOver, lease, window, FAILOVER));
    }

    /** The take-over is forgotten, and the taker has released the lock: the holder would go on as before. */
    @ParameterizedTest
    @CsvSource({"2, 3, 0", "2, 3, 1"})
    void isCertainAgainBehindTheTakerWhenDoubtEndsWithTheGrace(int takeOver, int lease, int window) {
        findsViolationWithout(Rule.DOUBT_OUTLIVES_THE_GRACE, Rules.of(takeOver, lease, window, FAILOVER));
    }

    /** Marks on the new master do not say whether the taker has had the lock on the old one. */
    @ParameterizedTest
    @CsvSource({"1, 3, 0, 0", "2, 3, 0, 1", "1, 3, 1, 0", "2, 3, 1, 1"})
    void isNotEnoughThatMarksOutliveAFailover(int takeOver, int lease, int window, int lag) {
        findsViolation(whereMarksOutliveAFailover(Rules.of(takeOver, lease, window, FAILOVER), lag));
    }

    @ParameterizedTest
    @CsvSource({"0", "1", "2"})
    void excludesWhereAllReplicasAcknowledgeGrants(int window) {
        findsNoViolation(Rules.of(2, 3, window, FAILOVER)
                .without(Rule.YOUNG_HISTORY_CONFIRMS_CERTAIN_ONLY)
                .with(Rule.GRANTS_ARE_ACKNOWLEDGED));
    }

    @Test
    void takesOverFromACrashedHolderBeforeItsLeaseIsOver() {
        Rules rules = Rules.of(2, 4, 0);
        findsViolation(CrashTakeOverModel.ofSilence(rules, kind -> true), rules);
    }

    @ParameterizedTest
    @CsvSource({"1, 3, 0", "2, 4, 0", "2, 3, 1"})
    void neverTakesOverFromAPausedHolderBeforeItsLeaseIsOver(int takeOver, int lease, int window) {
        Rules rules = Rules.of(takeOver, lease, window, FAILOVER);
        findsNoViolation(CrashTakeOverModel.ofSilence(rules, kind -> kind != Step.Kind.CLOSE), rules);
    }

    private static Rules whereMarksOutliveAFailover(Rules rules, int lag) {
        return rules.without(Rule.YOUNG_HISTORY_CONFIRMS_CERTAIN_ONLY)
                .with(Rule.YOUNG_HISTORY_RENEWS_MARKS)
                .withLag(lag);
    }

    private static void findsNoViolation(Rules rules) {
        findsNoViolation(CrashTakeOverModel.ofExclusion(rules), rules);
    }

    private static void findsNoViolation(CrashTakeOverModel model, Rules rules) {
        Exploration<World, Step> found = CompactWorlds.explore(model, MOST_STATES);
        System.out.printf("%s: %d states, depth %d, no violation%n", rules, found.states(), found.depth());
        assertThat(found.foundViolation()).as(() -> Timeline.of(found, rules)).isFalse();
    }

    private static void findsViolationWithout(Rule rule, Rules rules) {
        findsViolation(rules.without(rule));
    }

    private static void findsViolation(Rules rules) {
        findsViolation(CrashTakeOverModel.ofExclusion(rules), rules);
    }

    private static void findsViolation(CrashTakeOverModel model, Rules rules) {
        Exploration<World, Step> found = CompactWorlds.explore(model, MOST_STATES);
        System.out.printf(
                "%s: violated after %d steps, %d states%n%s%n%n",
                rules, found.depth(), found.states(), Timeline.of(found, rules));
        assertThat(found.foundViolation()).isTrue();
    }
}
