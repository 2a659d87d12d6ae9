package io.github.lockstarter.model.readers;

import static io.github.lockstarter.model.readers.ReadRules.NO_FAILOVER;
import static io.github.lockstarter.model.readers.ReadRules.Role.DOWNGRADES;
import static io.github.lockstarter.model.readers.ReadRules.Role.READS;
import static io.github.lockstarter.model.readers.ReadRules.Role.WRITES;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.model.ExplorationResult;
import io.github.lockstarter.model.Explorer;
import io.github.lockstarter.testing.Effort;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Read/write locks, in every interleaving up to small bounds: no state in which a hold is certain although the lock was
 * granted to one that it excludes; and one as soon as a rule is left out. The output has the numbers of states, and the
 * shortest violations.
 */
@Tag(Effort.FULL)
class ReadWriteModelTests {

    private static final int MOST_STATES = 5_000_000;

    private static final ReadRules ONE_SERVER = ReadRules.of(2, NO_FAILOVER, READS, READS, WRITES);
    private static final ReadRules PROMOTED = ReadRules.of(2, 0, READS, READS, WRITES);
    private static final ReadRules DOWNGRADED = ReadRules.of(2, NO_FAILOVER, READS, DOWNGRADES, WRITES);

    static List<ReadRules> configurations() {
        return List.of(
                ONE_SERVER,
                ONE_SERVER.leases(2, 1, 2),
                ONE_SERVER.leases(3, 2, 3),
                ReadRules.of(1, NO_FAILOVER, READS, READS, WRITES),
                ReadRules.of(2, NO_FAILOVER, READS, WRITES, WRITES),
                DOWNGRADED,
                PROMOTED,
                PROMOTED.leases(2, 1, 2),
                PROMOTED.leases(3, 2, 3),
                ReadRules.of(2, 1, READS, READS, WRITES),
                ReadRules.of(2, 1, READS, WRITES, WRITES),
                ReadRules.of(2, 0, READS, DOWNGRADES, WRITES),
                ReadRules.of(2, 1, READS, DOWNGRADES, WRITES),
                ReadRules.of(1, 2, READS, READS, WRITES));
    }

    @ParameterizedTest
    @MethodSource("configurations")
    void excludes(ReadRules rules) {
        ExplorationResult<ReadState, String> found = explored(ReadWriteModel.ofExclusion(rules), rules);
        System.out.printf("%s: %d states, depth %d, no violation%n", rules, found.states(), found.depth());
        assertThat(found.counterexample()).as(() -> textOf(found)).isEmpty();
    }

    static Stream<Arguments> rulesLeftOut() {
        ReadRules window = ReadRules.of(1, 1, READS, READS, WRITES);
        return Stream.of(
                Arguments.of(ReadRule.READER_LOOKS_AT_GATE, ONE_SERVER),
                Arguments.of(ReadRule.READER_MARKS_GATE, ONE_SERVER),
                Arguments.of(ReadRule.MARK_HAS_LONGEST_LEASE, ONE_SERVER.leases(2, 1, 2)),
                Arguments.of(ReadRule.WRITER_LOOKS_AT_SLOTS, ONE_SERVER),
                Arguments.of(ReadRule.READER_REPLACES_WRITER, ONE_SERVER),
                Arguments.of(ReadRule.WRITER_DELETES_SLOTS, ONE_SERVER),
                Arguments.of(ReadRule.RENEWAL_RENEWS_MARK, ONE_SERVER),
                Arguments.of(ReadRule.RENEWAL_REQUIRES_MARK, PROMOTED),
                Arguments.of(ReadRule.LAST_READER_DELETES_MARK, ONE_SERVER),
                Arguments.of(ReadRule.NO_READER_IN_GRACE, PROMOTED),
                Arguments.of(ReadRule.GRACE_COVERS_LEASE, PROMOTED),
                Arguments.of(ReadRule.RENEWAL_WAITS_FOR_DEPOSED, window),
                Arguments.of(ReadRule.DOWNGRADE_IS_ONE_STEP, DOWNGRADED),
                Arguments.of(ReadRule.DOWNGRADE_COUNTS_FROM_SENDING, DOWNGRADED));
    }

    @ParameterizedTest
    @MethodSource("rulesLeftOut")
    void isOvertakenWithoutTheRule(ReadRule rule, ReadRules rules) {
        ReadRules left = rules.without(rule);
        findsViolation(ReadWriteModel.ofExclusion(left), left);
    }

    @Test
    void readersDoNotPassAWaitingWriterForLongerThanALease() {
        assertThat(explored(ReadWriteModel.ofWaitingWriter(ONE_SERVER), ONE_SERVER)
                        .counterexample())
                .isEmpty();
    }

    @Test
    void readersPassAWaitingWriterForeverWithoutTheRule() {
        ReadRules left = ONE_SERVER.without(ReadRule.READER_WAITS_BEHIND_WRITER);
        findsViolation(ReadWriteModel.ofWaitingWriter(left), left);
    }

    private static void findsViolation(ReadWriteModel model, ReadRules rules) {
        ExplorationResult<ReadState, String> found = explored(model, rules);
        System.out.printf("%s: violated after %d steps%n%s%n", rules, found.depth(), textOf(found));
        assertThat(found.foundViolation()).isTrue();
    }

    private static ExplorationResult<ReadState, String> explored(ReadWriteModel model, ReadRules rules) {
        return Explorer.explore(model, new CompactReadStates(rules), MOST_STATES);
    }

    private static String textOf(ExplorationResult<ReadState, String> found) {
        return found.counterexample().stream()
                .map(move -> "  " + move.step() + "\n      " + move.after())
                .collect(Collectors.joining("\n"));
    }
}
