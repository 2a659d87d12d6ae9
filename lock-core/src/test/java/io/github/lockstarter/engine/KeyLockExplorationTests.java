package io.github.lockstarter.engine;

import static io.github.lockstarter.engine.ManualCaller.Kind.BLOCKS;
import static io.github.lockstarter.engine.ManualCaller.Kind.BLOCKS_TO_READ;
import static io.github.lockstarter.engine.ManualCaller.Kind.READS;
import static io.github.lockstarter.engine.ManualCaller.Kind.TRIES;
import static io.github.lockstarter.engine.ManualCaller.Kind.TRIES_PERMIT;
import static io.github.lockstarter.engine.ManualCaller.Kind.TRIES_TO_READ;
import static io.github.lockstarter.engine.ManualCaller.Kind.UNRENEWED;
import static io.github.lockstarter.engine.ManualCaller.Kind.WAITS;
import static io.github.lockstarter.engine.ManualCaller.Kind.WAITS_FOR_PERMIT;
import static io.github.lockstarter.engine.ManualCaller.Kind.WAITS_SHORTLY;
import static io.github.lockstarter.engine.ManualStore.MOST_PERMITS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.github.lockstarter.engine.ManualCaller.Kind;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.testing.Effort;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.test.util.ReflectionTestUtils;

/**
 * Explores each order of the events of one {@link KeyLock} within small bounds: one to three callers, each of which
 * acquires once, and a number of disturbances. The arrival of a caller, the usual answer of the store, the delivery of
 * an outcome and a release are not disturbances. Each other answer is one, and so is each message of another instance
 * or an operator, each lapse of time, a cancellation or an interrupt, a nested entry, an extension, and the end of the
 * engine.
 *
 * <p>An event and its effects are one step. A late command is covered by a late answer, and an outcome that its caller
 * takes late is a separate step.
 */
@Tag(Effort.SLOW)
@ExtendWith(OutputCaptureExtension.class)
class KeyLockExplorationTests {

    @ParameterizedTest
    @MethodSource
    void keepsItsInvariantsInEveryExploredState(
            List<Kind> callers, int disturbances, int fewestStates, CapturedOutput output) {
        Exploration all = Exploration.of(() -> new ManualEngine(callers, lock -> {}), disturbances);

        assertThat(all.violation).isEmpty();
        assertThat(all.states.size()).as("distinct states").isGreaterThan(fewestStates);
        assertThat(output).as("log").doesNotContain("the lock client continues");
    }

    static Stream<Arguments> keepsItsInvariantsInEveryExploredState() {
        return Stream.of(
                arguments(List.of(BLOCKS), Effort.of(3, 4), Effort.of(5_500, 35_000)),
                arguments(List.of(BLOCKS, TRIES), Effort.of(1, 2), Effort.of(1_500, 15_000)),
                arguments(List.of(WAITS, UNRENEWED), Effort.of(1, 2), Effort.of(2_000, 20_000)),
                arguments(List.of(WAITS_SHORTLY, BLOCKS), Effort.of(1, 2), Effort.of(1_900, 20_000)),
                arguments(List.of(WAITS, WAITS), Effort.of(1, 2), Effort.of(1_000, 10_000)),
                arguments(List.of(BLOCKS, WAITS_SHORTLY, TRIES), Effort.of(0, 1), Effort.of(400, 15_000)),
                arguments(List.of(WAITS_FOR_PERMIT, WAITS_FOR_PERMIT), Effort.of(1, 2), Effort.of(1_000, 10_000)),
                arguments(List.of(WAITS_FOR_PERMIT, TRIES_PERMIT), Effort.of(1, 2), Effort.of(1_000, 10_000)),
                arguments(List.of(WAITS, WAITS_FOR_PERMIT), Effort.of(1, 2), Effort.of(1_000, 10_000)),
                arguments(List.of(WAITS, WAITS, TRIES_PERMIT), Effort.of(0, 1), Effort.of(300, 10_000)),
                arguments(List.of(WAITS, WAITS, WAITS_FOR_PERMIT), Effort.of(0, 1), Effort.of(300, 10_000)),
                arguments(
                        List.of(WAITS_FOR_PERMIT, WAITS_FOR_PERMIT, WAITS_FOR_PERMIT),
                        Effort.of(0, 1),
                        Effort.of(300, 10_000)),
                arguments(List.of(BLOCKS_TO_READ, READS), Effort.of(1, 2), Effort.of(1_000, 10_000)),
                arguments(List.of(BLOCKS, READS), Effort.of(1, 2), Effort.of(1_000, 10_000)),
                arguments(List.of(READS, READS, WAITS), Effort.of(0, 1), Effort.of(300, 10_000)),
                arguments(List.of(READS, WAITS, TRIES_TO_READ), Effort.of(0, 1), Effort.of(300, 10_000)));
    }

    /** A signal that arrives before the answer to an attempt, and the refusal that it overtakes, four times. */
    @ParameterizedTest
    @MethodSource
    void keepsItsInvariantsWhateverSignalsOvertake(List<Kind> callers, int fewestStates, CapturedOutput output) {
        Exploration all = overtaken(() -> new ManualEngine(callers, lock -> {}));

        assertThat(all.violation).isEmpty();
        assertThat(all.states.size()).as("distinct states").isGreaterThan(fewestStates);
        assertThat(output).as("log").doesNotContain("the lock client continues");
    }

    static Stream<Arguments> keepsItsInvariantsWhateverSignalsOvertake() {
        return Stream.of(arguments(List.of(WAITS), 100), arguments(List.of(WAITS, TRIES), 100));
    }

    @Test
    void theCheckFindsASignalThatIsDroppedAfterThreeOthers() {
        Exploration all = overtaken(() -> new ManualEngine(List.of(WAITS), new FourthSignalIsDropped()));

        assertThat(all.violation).hasSize(10).endsWith("line 3: a signal is lost");
    }

    private static Exploration overtaken(Supplier<ManualEngine> engines) {
        return Exploration.of(
                engines,
                8,
                step -> step.subject().equals("a signal") || step.predicate() instanceof AcquireResult.Contended);
    }

    /** Of those that arrive during an attempt. */
    private static final class FourthSignalIsDropped implements Consumer<KeyLock> {

        private int signals;

        @Override
        public void accept(KeyLock lock) {
            boolean overtaking = ReflectionTestUtils.getField(lock, "attempt") != null
                    && ReflectionTestUtils.getField(lock, "signalledSlot").equals(0);
            signals += overtaking ? 1 : 0;
            if (signals == 4) {
                set(lock, "signalledSlot", -1);
            }
        }
    }

    /** Controls. A guard is switched off: a field has the same value before each step. */
    @ParameterizedTest
    @MethodSource
    void reportsTheShortestPathToABrokenInvariant(
            String field, @Nullable Object value, List<Kind> callers, int steps, String rule) {
        Exploration all = Exploration.of(() -> new ManualEngine(callers, lock -> set(lock, field, value)), 2);

        assertThat(all.violation).hasSize(steps + 1).endsWith(rule);
    }

    static Stream<Arguments> reportsTheShortestPathToABrokenInvariant() {
        String exclusion = "line 1: two commands that change the owner or the line";
        return Stream.of(
                arguments("withdrawing", false, List.of(WAITS), 2, exclusion),
                arguments("held.requeueing", 0, List.of(WAITS, WAITS), 7, exclusion),
                arguments("held.holds.grant.renewing", 0, List.of(WAITS), 4, "slots 2: a release beside a renewal"),
                arguments("queue.tries", List.of(), List.of(WAITS, TRIES), 2, "line 2: a waiter is at 0 places"),
                arguments("held.holds", null, List.of(WAITS), 3, "slots 1: a hold is not the owner"),
                arguments("attemptedPermits", MOST_PERMITS, List.of(WAITS, TRIES), 3, "line 3: a stranded waiter"),
                arguments("nextLookAt", Long.MAX_VALUE, List.of(WAITS), 3, "line 3: a stranded waiter"),
                arguments("signalledSlot", -1, List.of(WAITS), 3, "line 3: a signal is lost"),
                arguments("held.holds.releaseSent", true, List.of(WAITS), 4, "slots 3: a grant that is not released"),
                arguments("held.releases", 9, List.of(WAITS), 6, "line 5: an object without use"),
                arguments(
                        "held.holds.next",
                        null,
                        List.of(WAITS_FOR_PERMIT, WAITS_FOR_PERMIT),
                        5,
                        "slots 1: a hold is not the owner"),
                arguments(
                        "held.holds.grant.slot",
                        (short) 1,
                        List.of(WAITS_FOR_PERMIT),
                        3,
                        "slots 1: a hold is not the owner"));
    }

    private static void set(@Nullable Object object, String path, @Nullable Object value) {
        int dot = path.indexOf('.');
        if (dot > 0 && object != null) {
            set(ReflectionTestUtils.getField(object, path.substring(0, dot)), path.substring(dot + 1), value);
        } else if (object != null) {
            ReflectionTestUtils.setField(object, path, value);
        }
    }
}
