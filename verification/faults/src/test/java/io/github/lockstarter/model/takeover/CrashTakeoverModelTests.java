package io.github.lockstarter.model.takeover;

import static io.github.lockstarter.model.takeover.TakeoverFault.FAILOVER;
import static io.github.lockstarter.model.takeover.TakeoverFault.LATE_EXECUTION;
import static io.github.lockstarter.model.takeover.TakeoverFault.MASTER_RESTART;
import static io.github.lockstarter.model.takeover.TakeoverFault.NEW_HOLDS;
import static io.github.lockstarter.model.takeover.TakeoverFault.RENEWAL_OFF;
import static io.github.lockstarter.model.takeover.TakeoverFault.RESTART;
import static io.github.lockstarter.model.takeover.TakeoverFault.TWO_BEATS;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.model.ExplorationResult;
import io.github.lockstarter.model.Explorer;
import io.github.lockstarter.testing.Effort;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Crash takeover, in every interleaving up to small bounds: no tick in which a hold is certain and a taker has the
 * lock, or has had it since the grant of the hold; and one as soon as a rule is left out. The output has the numbers of
 * states, and the shortest violations as timelines.
 */
@Tag(Effort.FULL)
class CrashTakeoverModelTests {

    private static final int MOST_STATES = 5_000_000;

    private static final TakeoverRules ONE_SERVER = TakeoverRules.of(2, 3, 0);
    private static final TakeoverRules RESTARTED = TakeoverRules.of(2, 3, 0, RESTART);
    private static final TakeoverRules MASTER_RESTARTED = TakeoverRules.of(1, 2, 0, MASTER_RESTART);
    private static final TakeoverRules PROMOTED = TakeoverRules.of(1, 2, 0, FAILOVER);

    static List<TakeoverRules> configurations() {
        return List.of(
                ONE_SERVER,
                TakeoverRules.of(2, 3, 0, NEW_HOLDS),
                TakeoverRules.of(2, 3, 0, LATE_EXECUTION, TWO_BEATS),
                ONE_SERVER.withTwoLocks(),
                RESTARTED,
                TakeoverRules.of(2, 3, 0, RESTART, RENEWAL_OFF),
                MASTER_RESTARTED,
                PROMOTED,
                TakeoverRules.of(2, 3, 0, FAILOVER, RENEWAL_OFF));
    }

    static List<TakeoverRules> largeConfigurations() {
        return List.of(
                TakeoverRules.of(1, 2, 1, FAILOVER),
                TakeoverRules.of(2, 2, 0, FAILOVER),
                TakeoverRules.of(1, 2, 0, RESTART, NEW_HOLDS),
                TakeoverRules.of(2, 3, 0, RESTART, LATE_EXECUTION, TWO_BEATS),
                TakeoverRules.of(1, 2, 0, RESTART).withTwoLocks(),
                TakeoverRules.of(2, 3, 0, MASTER_RESTART),
                TakeoverRules.of(1, 2, 0, MASTER_RESTART, NEW_HOLDS),
                TakeoverRules.of(1, 2, 0, MASTER_RESTART, LATE_EXECUTION),
                TakeoverRules.of(2, 3, 0, FAILOVER),
                TakeoverRules.of(2, 3, 1, FAILOVER),
                TakeoverRules.of(1, 2, 0, FAILOVER, TWO_BEATS),
                TakeoverRules.of(1, 2, 0, FAILOVER, LATE_EXECUTION),
                TakeoverRules.of(2, 3, 1, FAILOVER, NEW_HOLDS),
                PROMOTED.withTwoLocks());
    }

    @ParameterizedTest
    @MethodSource("configurations")
    void excludes(TakeoverRules rules) {
        findsNoViolation(rules);
    }

    @ParameterizedTest
    @MethodSource("largeConfigurations")
    void excludesInLargeConfigurations(TakeoverRules rules) {
        findsNoViolation(rules);
    }

    static Stream<Arguments> rulesLeftOut() {
        return Stream.of(
                Arguments.of(Rule.TAKER_WAITS_T, ONE_SERVER, 3),
                Arguments.of(Rule.BEAT_COUNTS_FROM_SENDING, ONE_SERVER, 6),
                Arguments.of(Rule.BEAT_DELETES_MARK, ONE_SERVER, 6),
                Arguments.of(Rule.TAKEOVER_LEAVES_TRACE, ONE_SERVER, 6),
                Arguments.of(Rule.TRACE_IS_ACKNOWLEDGED, PROMOTED, 8),
                Arguments.of(Rule.ALL_REPLICAS_ACKNOWLEDGE, PROMOTED, 10),
                Arguments.of(Rule.GRANT_COMPARES_ACKNOWLEDGED, PROMOTED, 17),
                Arguments.of(Rule.MARK_EXPIRES, PROMOTED, 16),
                Arguments.of(Rule.BEGIN_IS_GREATER_THAN_TRACE, PROMOTED, 13),
                Arguments.of(Rule.TRACE_OUTLIVES_LEASES, PROMOTED, 13),
                Arguments.of(Rule.NO_TAKEOVER_IN_GRACE, RESTARTED, 8),
                Arguments.of(Rule.NO_TAKEOVER_IN_GRACE, PROMOTED, 9),
                Arguments.of(Rule.TRACE_CHANGES_PERIOD, ONE_SERVER, 6),
                Arguments.of(Rule.HISTORY_CHANGES_PERIOD, RESTARTED, 7),
                Arguments.of(Rule.VOID_TRACED, RESTARTED, 11),
                Arguments.of(Rule.VOID_TRACED, PROMOTED, 10),
                Arguments.of(Rule.VOID_UNACKED, RESTARTED, 9),
                Arguments.of(Rule.VOID_RESTARTED, MASTER_RESTARTED, 10),
                Arguments.of(Rule.PERIOD_READ_BEFORE_SENDING, ONE_SERVER, 8),
                Arguments.of(Rule.GRANT_IS_OF_HISTORY, TakeoverRules.of(1, 2, 0, FAILOVER, NEW_HOLDS), 11),
                Arguments.of(Rule.RENEWAL_IS_OF_HISTORY, RESTARTED, 9),
                Arguments.of(Rule.RENEWAL_IS_OF_HISTORY, PROMOTED, 10),
                Arguments.of(Rule.LEASE_IS_OF_HISTORY, PROMOTED, 19));
    }

    @ParameterizedTest
    @MethodSource("rulesLeftOut")
    void twoHoldersAreCertainWithoutTheRule(Rule rule, TakeoverRules rules, int steps) {
        TakeoverRules left = rules.without(rule);
        ExplorationResult<TakeoverState, TakeoverStep> found = explored(CrashTakeoverModel.ofExclusion(left));
        System.out.printf(
                "%s: violated after %d steps, %d states%n%s%n%n",
                left, found.depth(), found.states(), TakeoverTable.of(found, left));
        assertThat(found.foundViolation()).isTrue();
        assertThat(found.depth()).isEqualTo(steps);
    }

    static List<TakeoverRules> topologies() {
        return List.of(ONE_SERVER, PROMOTED);
    }

    @ParameterizedTest
    @MethodSource("topologies")
    void takesOverFromACrashedHolderBeforeItsLeaseIsOver(TakeoverRules rules) {
        assertThat(explored(CrashTakeoverModel.ofSilence(rules)).foundViolation())
                .isTrue();
    }

    private static void findsNoViolation(TakeoverRules rules) {
        ExplorationResult<TakeoverState, TakeoverStep> found = explored(CrashTakeoverModel.ofExclusion(rules));
        System.out.printf("%s: %d states, depth %d, no violation%n", rules, found.states(), found.depth());
        assertThat(found.foundViolation())
                .as(() -> TakeoverTable.of(found, rules))
                .isFalse();
    }

    private static ExplorationResult<TakeoverState, TakeoverStep> explored(CrashTakeoverModel model) {
        return Explorer.explore(model, new CompactTakeoverStates(), MOST_STATES);
    }
}
